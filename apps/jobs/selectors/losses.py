"""A job's curve."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from apps.jobs.domain.facts import LossFacts
from apps.jobs.domain.thinning import points_thin
from apps.jobs.models import LossPoint

#: Steps that one curve is made of, the newest: more are not read.
STEPS_MAX: Final = 100_000
POINTS_DEFAULT: Final = 2_000
POINTS_MAX: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Losses in the order in which they were committed."""

    points: list[LossFacts]
    # steps that the points stand for
    steps: int
    # points were left out: peaks, gaps and validation losses are all there
    thinned: bool
    # there are earlier steps, which were not read
    truncated: bool


def losses_get(*, job_id: UUID, from_step: int = 0, points_max: int = POINTS_DEFAULT) -> Curve:
    """Return a job's curve from a step on; one query."""
    rows = (
        LossPoint.objects.filter(job_id=job_id, step__gte=from_step)
        .order_by("-epoch", "-step")
        .values_list("epoch", "step", "loss", "validation_loss", "step_s", "at")
    )
    found = [
        LossFacts(
            epoch=epoch, step=step, loss=loss, validation_loss=validation, step_s=step_s, at=at
        )
        for epoch, step, loss, validation, step_s, at in rows[: STEPS_MAX + 1]
    ][::-1]
    truncated = len(found) > STEPS_MAX
    found = found[1:] if truncated else found
    points = points_thin(found, points_max=points_max)
    return Curve(
        points=points, steps=len(found), thinned=len(points) < len(found), truncated=truncated
    )

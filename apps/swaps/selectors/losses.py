"""Losses of a job, as a band is made of them and judged by them."""

import math
from uuid import UUID

from apps.jobs.models import LossPoint
from apps.swaps.domain import limits
from apps.swaps.domain.band import HISTORY_POINTS, Point


def series_of(*, job_id: UUID) -> str:
    """Return what a job's band is about: its validation loss, if it has ever told one."""
    validated = LossPoint.objects.filter(job_id=job_id, validation_loss__isnull=False)
    return "validation_loss" if validated.exists() else "loss"


def losses_last(*, job_id: UUID, series: str, before_step: int | None = None) -> list[Point]:
    """Return the latest points of a series, in the order of their steps, each step once."""
    rows = LossPoint.objects.filter(job_id=job_id).exclude(**{series: None})
    if before_step is not None:
        rows = rows.filter(step__lt=before_step)
    # a step that was done again counts as it was done last
    newest = rows.order_by("-step", "-epoch").values_list("step", series)[: 2 * HISTORY_POINTS]
    by_step: dict[int, float] = {}
    for step, loss in newest:
        by_step.setdefault(step, loss)
    return [Point(step=step, loss=by_step[step]) for step in sorted(by_step)][-HISTORY_POINTS:]


def losses_from(*, job_id: UUID, series: str, step: int) -> tuple[Point, ...]:
    """Return the points of a series from a step on; losses that are no numbers are points too.

    A loss that is no number arrives as one that is missing. One may be missing because a leader
    was lost with it; two in a row, in a job that has told its losses so far, were no numbers.
    """
    points = LossPoint.objects.filter(job_id=job_id)
    told = points.filter(step__lt=step, loss__isnull=False).exists()
    rows = points.filter(step__gte=step).order_by("step", "epoch")
    by_step: dict[int, float] = {}
    missing: int | None = None
    for at, loss, value in rows.values_list("step", "loss", series)[: limits.LOSS_POINTS_MAX]:
        if value is not None:
            by_step[at] = value
        if loss is not None:
            missing = None
        elif told and missing is not None and at > missing:
            by_step[at] = math.nan
        else:
            missing = at
    return tuple(Point(step=at, loss=by_step[at]) for at in sorted(by_step))

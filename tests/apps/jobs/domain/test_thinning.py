"""A thinned curve hides nothing."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from apps.jobs.domain.facts import LossFacts
from apps.jobs.domain.thinning import points_thin
from tests.apps.jobs.domain.told import NOON


def point(step: int, loss: float | None, validation: float | None = None) -> LossFacts:
    return LossFacts(
        epoch=1,
        step=step,
        loss=loss,
        validation_loss=validation,
        step_s=None,
        at=NOON + timedelta(seconds=step),
    )


def test_a_short_curve_stays_as_it_is() -> None:
    points = [point(step, 1.0) for step in range(10)]
    assert points_thin(points, points_max=10) == points


def test_one_peak_among_thousands_is_kept() -> None:
    points = [point(step, 9.0 if step == 4_321 else 1.0) for step in range(10_000)]
    kept = points_thin(points, points_max=100)
    assert len(kept) <= 100
    assert max(each.loss or 0 for each in kept) == 9.0


@given(
    losses=st.lists(st.one_of(st.none(), st.floats(0, 10)), min_size=1, max_size=300),
    points_max=st.integers(2, 50),
)
def test_ends_extremes_and_gaps_are_kept_in_order(
    losses: list[float | None], points_max: int
) -> None:
    points = [
        point(step, loss, 1.0 if step % 50 == 0 else None) for step, loss in enumerate(losses)
    ]
    kept = points_thin(points, points_max=points_max)
    steps = [each.step for each in kept]
    assert steps == sorted(set(steps))
    assert (steps[0], steps[-1]) == (0, len(points) - 1)
    numbers = [each for each in losses if each is not None]
    assert {min(numbers, default=None), max(numbers, default=None)} <= {
        each.loss for each in kept
    } | {None}
    assert [each for each in points if each.loss is None or each.validation_loss] == [
        each for each in kept if each.loss is None or each.validation_loss
    ]

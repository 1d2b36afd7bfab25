from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from apps.fleet.domain.series import Point, series_from

START = datetime(2026, 1, 1, tzinfo=UTC)


def points(*values: tuple[float, float | None]) -> list[Point]:
    return [Point(at=START + timedelta(seconds=second), value=value) for second, value in values]


def test_samples_that_are_close_are_joined() -> None:
    samples = points((0, 1.0), (5, 2.0))
    assert series_from(samples=samples, gap_s=15) == tuple(samples)


def test_a_gap_stays_a_gap() -> None:
    line = series_from(samples=points((0, 1.0), (60, 2.0)), gap_s=15)
    assert [point.value for point in line] == [1.0, None, 2.0]
    assert line[1].at == START + timedelta(seconds=30)


def test_what_could_not_be_read_is_a_gap_too() -> None:
    line = series_from(samples=points((0, 1.0), (5, None), (10, 2.0)), gap_s=15)
    assert [point.value for point in line] == [1.0, None, 2.0]


def test_nothing_is_no_line() -> None:
    assert series_from(samples=[], gap_s=15) == ()


@given(
    st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=400),
    st.integers(12, 60),
)
def test_thinning_keeps_the_extremes_the_order_and_whether_there_are_gaps(
    values: list[float | None], points_max: int
) -> None:
    samples = points(*((float(second), value) for second, value in enumerate(values)))
    line = series_from(samples=samples, gap_s=15, points_max=points_max)
    known = [value for value in values if value is not None]
    kept = [point.value for point in line if point.value is not None]
    assert len(line) <= points_max
    assert (min(known, default=None), max(known, default=None)) == (
        min(kept, default=None),
        max(kept, default=None),
    )
    assert any(point.value is None for point in line) == (None in values)
    assert [point.at for point in line] == sorted(point.at for point in line)

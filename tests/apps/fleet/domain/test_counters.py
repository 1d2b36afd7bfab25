from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.fleet.domain.counters import Counter, counter_advance

START = datetime(2026, 1, 1, tzinfo=UTC)


def fed(*values: tuple[float, float], boot: str = "b1") -> tuple[Counter, list[float | None]]:
    """Return the counter after values at seconds, and each increase per minute."""
    counter: Counter | None = None
    increases = []
    for second, value in values:
        counter, increase = counter_advance(
            previous=counter, boot=boot, value=value, at=START + timedelta(seconds=second)
        )
        increases.append(increase)
    assert counter is not None
    return counter, increases


def test_the_increase_of_a_first_value_is_not_known() -> None:
    assert fed((0, 54_731_746_511))[1] == [None]


def test_the_increase_is_per_minute_and_spread_over_one_at_least() -> None:
    assert fed((0, 100), (1, 101))[1] == [None, 1.0]
    assert fed((0, 100), (60, 160), (120, 220))[1] == [None, 60.0, 60.0]


def test_a_storm_that_goes_on_is_seen_at_its_rate() -> None:
    values = [(second, 17_700.0 * second) for second in range(0, 301, 5)]
    assert fed(*values)[1][-1] == pytest.approx(17_700 * 60)


def test_a_storm_that_is_over_is_forgotten_within_two_windows() -> None:
    values = [(0.0, 0.0), (5.0, 1000.0), *((10.0 + 5 * n, 1000.0) for n in range(40))]
    assert fed(*values)[1][-1] == 0.0


def test_a_counter_that_goes_down_is_a_new_epoch_with_an_unknown_increase() -> None:
    counter, increases = fed((0, 900), (10, 950), (20, 3), (30, 5))
    assert increases[2] is None
    assert increases[3] == 2.0
    assert counter.epoch == 1


def test_another_boot_is_a_new_epoch_even_if_the_value_is_higher() -> None:
    before, _ = fed((0, 5))
    after, increase = counter_advance(
        previous=before, boot="b2", value=500, at=START + timedelta(seconds=10)
    )
    assert (increase, after.epoch) == (None, 1)


@given(st.lists(st.tuples(st.floats(0.1, 300), st.integers(-1000, 1000)), min_size=1, max_size=50))
def test_an_increase_is_never_negative(steps: list[tuple[float, int]]) -> None:
    second, value, values = 0.0, 5_000, []
    for gap, change in steps:
        second += gap
        value = max(value + change, 0)
        values.append((second, float(value)))
    assert all(increase is None or increase >= 0 for increase in fed(*values)[1])

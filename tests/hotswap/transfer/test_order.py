"""Tests of hotswap.transfer.order."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.transfer.order import CopyUnit, copy_order, next_slice

UNITS = st.builds(
    CopyUnit,
    name=st.text(min_size=1, max_size=4),
    nbytes=st.integers(min_value=0, max_value=1000),
    staleness_steps=st.none() | st.integers(min_value=0, max_value=5),
    gradient_magnitude=st.none() | st.floats(min_value=0),
)
# A name is unique within a rank.
UNIT_LISTS = st.lists(UNITS, unique_by=lambda unit: unit.name, max_size=12)


def unit(
    name: str, *, nbytes: int = 10, staleness: int | None = 0, magnitude: float | None = 1.0
) -> CopyUnit:
    return CopyUnit(
        name=name, nbytes=nbytes, staleness_steps=staleness, gradient_magnitude=magnitude
    )


def names(units: list[CopyUnit]) -> list[str]:
    return [unit.name for unit in units]


def test_the_stalest_unit_goes_first_whatever_its_gradient() -> None:
    units = [unit("fresh", magnitude=9.0), unit("stale", staleness=3, magnitude=0.1)]
    assert names(copy_order(units)) == ["stale", "fresh"]


def test_of_equally_stale_units_the_largest_gradient_goes_first() -> None:
    units = [unit("small", magnitude=0.1), unit("large", magnitude=2.0)]
    assert names(copy_order(units)) == ["large", "small"]


def test_equal_units_go_by_name() -> None:
    assert names(copy_order([unit("b"), unit("c"), unit("a")])) == ["a", "b", "c"]


def test_a_unit_without_a_copy_is_staler_than_any_other() -> None:
    units = [unit("old", staleness=10**9), unit("never", staleness=None)]
    assert names(copy_order(units)) == ["never", "old"]


@pytest.mark.parametrize("unknown", [None, math.nan])
def test_an_unknown_gradient_counts_as_the_largest(unknown: float | None) -> None:
    units = [unit("known", magnitude=1e30), unit("unknown", magnitude=unknown)]
    assert names(copy_order(units)) == ["unknown", "known"]


@given(units=UNIT_LISTS, randomness=st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_the_input(
    units: list[CopyUnit], randomness: Random
) -> None:
    shuffled = list(units)
    randomness.shuffle(shuffled)
    assert copy_order(shuffled) == copy_order(units)


@given(units=UNIT_LISTS, budget=st.integers(min_value=0, max_value=2000))
def test_slices_cover_the_order_and_stay_within_the_budget(
    units: list[CopyUnit], budget: int
) -> None:
    order = copy_order(units)
    left, copied = order, []
    while left:
        taken = next_slice(left, budget_bytes=budget)
        assert taken
        assert len(taken) == 1 or sum(unit.nbytes for unit in taken) <= budget
        copied += taken
        left = left[len(taken) :]
    assert copied == order


def test_a_unit_above_the_budget_is_copied_whole_and_alone() -> None:
    order = [unit("huge", nbytes=1000), unit("tiny", nbytes=1)]
    assert names(next_slice(order, budget_bytes=100)) == ["huge"]


def test_a_smaller_unit_does_not_overtake_one_that_no_longer_fits() -> None:
    order = [unit("a", nbytes=60), unit("b", nbytes=60), unit("c", nbytes=10)]
    assert names(next_slice(order, budget_bytes=100)) == ["a"]


def test_a_slice_is_as_large_as_the_budget_allows() -> None:
    order = [unit("a", nbytes=50), unit("b", nbytes=50), unit("c", nbytes=1)]
    assert names(next_slice(order, budget_bytes=100)) == ["a", "b"]


def test_nothing_left_is_an_empty_slice() -> None:
    assert next_slice([], budget_bytes=100) == []


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="budget_bytes"):
        next_slice([unit("a")], budget_bytes=-1)

"""Tests of hotswap.runtime.data.permutation."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.runtime.data.permutation import Permutation

KEYS = [str(key) for key in range(2_000)]


@given(st.integers(min_value=1, max_value=3_000), st.text())
def test_every_index_comes_exactly_once(length: int, key: str) -> None:
    permutation = Permutation(length=length, key=key)
    assert sorted(map(permutation, range(length))) == list(range(length))


@given(st.integers(min_value=1, max_value=2**62), st.data(), st.text())
def test_indices_of_a_huge_range_stay_inside_and_differ(
    length: int, data: st.DataObject, key: str
) -> None:
    positions = data.draw(st.sets(st.integers(min_value=0, max_value=length - 1), max_size=20))
    indices = {Permutation(length=length, key=key)(position) for position in positions}
    assert len(indices) == len(positions)
    assert all(0 <= index < length for index in indices)


def test_a_permutation_is_the_same_on_every_machine_and_in_every_release() -> None:
    permutation = Permutation(length=10, key="1234:0")
    assert [permutation(position) for position in range(10)] == [7, 5, 9, 2, 6, 3, 1, 0, 4, 8]


def test_keys_give_different_permutations() -> None:
    orders = Counter(tuple(map(Permutation(length=50, key=key), range(50))) for key in KEYS)
    assert max(orders.values()) == 1


@pytest.mark.parametrize("length", [50, 1_000])
def test_the_first_index_may_be_any(length: int) -> None:
    counts = Counter(Permutation(length=length, key=key)(0) * 10 // length for key in KEYS)
    assert chi_square(counts, cells=10) < CHI_SQUARE_9_MAX


@pytest.mark.parametrize("length", [50, 1_000])
def test_neighbours_in_the_order_have_nothing_to_do_with_each_other(length: int) -> None:
    counts: Counter[int] = Counter()
    for key in KEYS:
        permutation = Permutation(length=length, key=key)
        counts[(permutation(1) - permutation(0)) % length * 10 // length] += 1
    # 0 is no difference between two neighbours: the first cell is one short of the others
    expected = [len(KEYS) * (length / 10 - (cell == 0)) / (length - 1) for cell in range(10)]
    deviation = sum((counts[cell] - expected[cell]) ** 2 / expected[cell] for cell in range(10))
    assert deviation < CHI_SQUARE_9_MAX


def test_steps_within_one_order_are_of_any_size() -> None:
    length = 62_500
    permutation = Permutation(length=length, key="one pass")
    indices = [permutation(position) for position in range(20_000)]
    counts = Counter(
        (after - before) % length * 10 // length for before, after in pairwise(indices)
    )
    assert chi_square(counts, cells=10) < CHI_SQUARE_9_MAX


#: A random order stays below with probability 0.9999; keys are fixed, so this never flickers.
CHI_SQUARE_9_MAX = 33.7


def chi_square(counts: Counter[int], *, cells: int) -> float:
    """Deviation from equal counts."""
    expected = counts.total() / cells
    return sum((counts[cell] - expected) ** 2 / expected for cell in range(cells))

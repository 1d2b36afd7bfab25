"""Tests of hotswap.runtime.data.order."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.errors import DataMisused, DataUnsuitable
from hotswap.runtime.data.order import DATASET_LENGTH_MAX, SampleOrder

ORDERS = st.builds(
    SampleOrder,
    dataset_length=st.integers(min_value=1, max_value=200),
    batch_size=st.integers(min_value=1, max_value=9),
    micro_batches=st.integers(min_value=1, max_value=3),
    world_size=st.integers(min_value=1, max_value=5),
    seed=st.integers(),
    shuffle=st.booleans(),
)

ORDER = SampleOrder(dataset_length=100, batch_size=4, micro_batches=2, world_size=3, seed=7)


def line(order: SampleOrder, *, steps: int) -> list[int]:
    """Return all samples of the first steps as they stand in line."""
    return [
        sample
        for step in range(steps)
        for micro_batch in range(order.micro_batches)
        for rank in range(order.world_size)
        for sample in order.ids(step=step, rank=rank, micro_batch=micro_batch)
    ]


@given(ORDERS)
def test_every_pass_reads_each_sample_once(order: SampleOrder) -> None:
    per_step = order.batch_size * order.micro_batches * order.world_size
    samples = line(order, steps=2 * order.dataset_length // per_step + 1)
    for start in (0, order.dataset_length):
        whole_pass = samples[start : start + order.dataset_length]
        if len(whole_pass) == order.dataset_length:
            assert sorted(whole_pass) == list(range(order.dataset_length))


@given(ORDERS, st.integers(min_value=0, max_value=50))
def test_after_any_step_no_sample_is_two_reads_ahead_of_another(
    order: SampleOrder, steps: int
) -> None:
    counts = Counter(line(order, steps=steps))
    reads = [counts[sample] for sample in range(order.dataset_length)]
    assert max(reads) - min(reads) <= 1


@given(ORDERS, st.integers(min_value=0, max_value=10**12), st.data())
def test_a_step_reads_its_micro_batches_in_order(
    order: SampleOrder, step: int, data: st.DataObject
) -> None:
    rank = data.draw(st.integers(min_value=0, max_value=order.world_size - 1))
    parts = [
        order.ids(step=step, rank=rank, micro_batch=micro_batch)
        for micro_batch in range(order.micro_batches)
    ]
    assert all(len(part) == order.batch_size for part in parts)
    assert order.step_ids(step=step, rank=rank) == tuple(
        sample for part in parts for sample in part
    )


def test_without_shuffling_samples_come_as_they_stand() -> None:
    assert line(replace(ORDER, shuffle=False), steps=1) == list(range(24))


def test_passes_differ_and_seeds_differ() -> None:
    samples = line(ORDER, steps=9)
    assert samples[:100] != samples[100:200]
    assert line(replace(ORDER, seed=8), steps=1) != line(ORDER, steps=1)


def test_a_huge_data_set_needs_no_table() -> None:
    order = replace(ORDER, dataset_length=DATASET_LENGTH_MAX)
    assert len(set(line(order, steps=20))) == 20 * 24


@pytest.mark.parametrize("name", ["dataset_length", "batch_size", "micro_batches", "world_size"])
def test_a_size_below_one_is_refused_by_name(name: str) -> None:
    changed: dict[str, Any] = {name: 0}
    with pytest.raises(DataUnsuitable, match=name):
        replace(ORDER, **changed)


def test_a_data_set_beyond_the_limit_is_refused() -> None:
    with pytest.raises(DataUnsuitable, match="split it"):
        replace(ORDER, dataset_length=DATASET_LENGTH_MAX + 1)


@pytest.mark.parametrize(
    ("step", "rank", "micro_batch"), [(-1, 0, 0), (0, 3, 0), (0, -1, 0), (0, 0, 2), (0, 0, -1)]
)
def test_a_micro_batch_that_does_not_exist_is_refused(
    step: int, rank: int, micro_batch: int
) -> None:
    with pytest.raises(DataMisused, match="outside"):
        ORDER.ids(step=step, rank=rank, micro_batch=micro_batch)

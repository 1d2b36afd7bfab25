"""Tests of hotswap.runtime.data.loader."""

import multiprocessing
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, Unpack

import pytest
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, TensorDataset

from hotswap.errors import DataMisused, DataUnsuitable, SampleUnreadable
from hotswap.limits import Limits
from hotswap.runtime.data.loader import Loader
from hotswap.runtime.data.reader import MapDataset
from tests.hotswap.descriptors import open_descriptors
from tests.hotswap.runtime.data.datasets import Augmented, Numbers, Options, Trapped, fails

STEPS = 6
MICRO_BATCHES = 2


class Bind(Protocol):
    """Makes a loader bound to rank 1 of 3."""

    def __call__(self, dataset: MapDataset, **options: Unpack[Options]) -> Loader: ...


@pytest.fixture
def bound() -> Iterator[Bind]:
    """Make loaders, and close them."""
    made: list[Loader] = []

    def make(dataset: MapDataset, **options: Unpack[Options]) -> Loader:
        options = {"micro_batches": MICRO_BATCHES, **options}
        loader = Loader(dataset, batch_size=4, **options)
        made.append(loader)
        loader.bind(seed=11, rank=1, world_size=3)
        return loader

    yield make
    for loader in made:
        loader.close()


def read(loader: Loader, steps: int = STEPS) -> list[Tensor]:
    """Read steps from the first on."""
    loader.seek(0)
    return [
        loader.batch(step, micro_batch)
        for step in range(steps)
        for micro_batch in range(MICRO_BATCHES)
    ]


def same(left: list[Tensor], right: list[Tensor]) -> bool:
    return len(left) == len(right) and all(map(torch.equal, left, right))


@pytest.mark.parametrize("num_workers", [1, 2, 3])
def test_workers_read_the_same_bits_as_the_training_process(bound: Bind, num_workers: int) -> None:
    alone = read(bound(Augmented(100)))
    assert same(read(bound(Augmented(100), num_workers=num_workers)), alone)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_augmentation_differs_by_sample_micro_batch_and_step(bound: Bind, num_workers: int) -> None:
    drawn = torch.cat(
        [batch[:, 1:] for batch in read(bound(Augmented(9), num_workers=num_workers))]
    )
    assert len(set(drawn.flatten().tolist())) == drawn.numel()


@pytest.mark.parametrize("num_workers", [0, 2])
def test_augmentation_is_repeated_with_the_step(bound: Bind, num_workers: int) -> None:
    loader = bound(Augmented(100), num_workers=num_workers)
    first = [batch.clone() for batch in read(loader)]
    assert torch.equal(loader.batch(STEPS - 1, 0), first[-2])
    assert torch.equal(loader.batch(STEPS - 1, 1), first[-1])
    assert same(read(loader), first)


def test_another_node_in_the_role_reads_the_same_bits(bound: Bind) -> None:
    owner = bound(Augmented(100), num_workers=2)
    batches = read(owner)
    successor = bound(Augmented(100), num_workers=1)
    # it was prepared for another rank, and stood elsewhere
    successor.bind(seed=11, rank=0, world_size=3)
    successor.seek(40)
    successor.batch(40, 0)
    successor.bind(seed=11, rank=1, world_size=3)
    successor.seek(3)
    assert torch.equal(successor.batch(3, 0), batches[6])
    assert torch.equal(successor.batch(3, 1), batches[7])


def test_moving_about_starts_no_other_workers_and_leaks_nothing(bound: Bind) -> None:
    loader = bound(Numbers(100), num_workers=2)
    read(loader)
    workers = {process.pid for process in multiprocessing.active_children()}
    descriptors_before, threads = open_descriptors(), threading.active_count()
    for place in range(20):
        loader.bind(seed=11, rank=place % 3, world_size=3)
        loader.seek(place * 7)
        loader.batch(place * 7, 0)
        # repeated, as after a loss
        loader.batch(place * 7, 0)
    assert {process.pid for process in multiprocessing.active_children()} == workers
    # tensors that wait to be fetched are descriptors too, as many as are read ahead
    assert open_descriptors() <= descriptors_before + 2 * MICRO_BATCHES
    assert threading.active_count() == threads


def test_closing_ends_workers_threads_and_descriptors(bound: Bind) -> None:
    before = open_descriptors(), threading.active_count()
    loader = bound(Numbers(100), num_workers=2)
    batches = read(loader)
    del batches
    loader.close()
    assert multiprocessing.active_children() == []
    # the first use of shared tensors leaves one listener in the process, once
    assert open_descriptors() <= before[0] + 1
    assert threading.active_count() == before[1]


def test_a_closed_loader_starts_again_when_it_is_used(bound: Bind) -> None:
    loader = bound(Augmented(100), num_workers=2)
    first = read(loader)
    loader.close()
    assert same(read(loader), first)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_sample_that_can_t_be_read_is_reported_with_its_place(
    bound: Bind, num_workers: int
) -> None:
    loader = bound(Trapped(100, at=0, does=fails), shuffle=False, num_workers=num_workers)
    loader.bind(seed=11, rank=0, world_size=3)
    loader.seek(0)
    with pytest.raises(SampleUnreadable, match="step 0, micro-batch 0, rank 0") as caught:
        loader.batch(0, 0)
    assert "FileNotFoundError: the shard is not there" in str(caught.value)
    # and the loader goes on
    assert loader.batch(0, 1).tolist() == [12, 13, 14, 15]


def test_a_sample_read_ahead_that_nobody_asks_for_does_no_harm(bound: Bind) -> None:
    loader = bound(Trapped(100, at=12, does=fails), shuffle=False, num_workers=2)
    loader.bind(seed=11, rank=0, world_size=3)
    loader.seek(0)
    assert loader.batch(0, 0).tolist() == [0, 1, 2, 3]
    loader.seek(2)
    assert loader.batch(2, 0).tolist() == [48, 49, 50, 51]


def test_a_data_set_that_reads_many_at_once_is_asked_for_many(bound: Bind) -> None:
    class Together(Numbers):
        def __getitems__(self, indices: list[int]) -> list[int]:
            return [-index for index in indices]

    assert all((batch <= 0).all() for batch in read(bound(Together(100))))


def test_a_collate_function_makes_the_batch(bound: Bind) -> None:
    assert all(isinstance(batch, tuple) for batch in read(bound(Numbers(9), collate_fn=tuple)))


def test_a_worker_is_prepared_before_it_reads(bound: Bind, tmp_path: Path) -> None:
    def prepare(number: int) -> None:
        (tmp_path / str(number)).touch()

    read(bound(Numbers(9), num_workers=2, worker_init_fn=prepare))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1"]


def test_batches_that_can_t_be_sent_are_a_sample_that_can_t_be_read(bound: Bind) -> None:
    loader = bound(Numbers(9), num_workers=1, collate_fn=lambda samples: lambda: samples)
    with pytest.raises(SampleUnreadable, match="pickle"):
        loader.batch(0, 0)


def test_workers_may_be_started_afresh_instead_of_forked(bound: Bind) -> None:
    dataset = TensorDataset(torch.arange(100))
    alone = read(bound(dataset, collate_fn=torch.utils.data.default_convert), steps=1)
    spawned = read(bound(dataset, num_workers=1, start_method="spawn"), steps=1)
    assert [batch[0].tolist() for batch in spawned] == [
        [sample[0].item() for sample in batch] for batch in alone
    ]


def test_a_data_set_that_has_its_own_order_is_refused() -> None:
    class Stream(IterableDataset[int]):
        def __iter__(self) -> Iterator[int]:
            return iter(range(9))

    stream: Any = Stream()
    with pytest.raises(DataUnsuitable, match="DataSource"):
        Loader(stream, batch_size=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": 1, "micro_batches": 0}, "micro_batches"),
        ({"batch_size": 1, "num_workers": -1}, "num_workers"),
        ({"batch_size": 1, "num_workers": 1, "prefetch_steps": -1}, "prefetch_steps"),
        ({"batch_size": 1, "num_workers": 1, "prefetch_steps": 9}, "data_in_flight_max"),
    ],
)
def test_a_size_out_of_range_is_refused_where_it_is_given(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataUnsuitable, match=message):
        Loader(Numbers(9), limits=Limits(data_in_flight_max=8), **options)


def test_an_empty_data_set_is_refused() -> None:
    with pytest.raises(DataUnsuitable, match="dataset_length"):
        Loader(Numbers(0), batch_size=1)


def test_a_rank_outside_of_the_job_is_refused() -> None:
    with pytest.raises(DataUnsuitable, match=r"0\.\.2"):
        Loader(Numbers(9), batch_size=1).bind(seed=0, rank=3, world_size=3)


def test_asking_for_more_micro_batches_says_how_to_have_them(bound: Bind) -> None:
    with pytest.raises(DataMisused, match="micro_batches=2"):
        bound(Numbers(9)).batch(0, 2)

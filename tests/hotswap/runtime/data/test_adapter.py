"""Tests of hotswap.runtime.data.adapter."""

from typing import Any

import pytest
import torch
from torch.utils.data import BatchSampler, DataLoader, SubsetRandomSampler, TensorDataset

from hotswap.errors import DataUnsuitable
from hotswap.runtime.data.adapter import from_dataloader

DATASET = TensorDataset(torch.arange(20))


def first_batch(dataloader: DataLoader[Any], *, micro_batches: int = 1) -> list[int]:
    """Read what the only rank reads first."""
    loader = from_dataloader(dataloader, micro_batches=micro_batches)
    loader.bind(seed=3, rank=0, world_size=1)
    loader.seek(0)
    (numbers,) = loader.batch(0, 0)
    loader.close()
    return [int(number) for number in numbers]


def test_batch_size_and_order_are_those_of_the_dataloader() -> None:
    assert first_batch(DataLoader(DATASET, batch_size=4)) == [0, 1, 2, 3]


def test_shuffling_is_by_the_job_s_seed_and_not_by_the_dataloader_s_generator() -> None:
    def shuffled(seed: int) -> DataLoader[Any]:
        generator = torch.Generator().manual_seed(seed)
        return DataLoader(DATASET, batch_size=20, shuffle=True, generator=generator)

    read = first_batch(shuffled(1))
    assert read == first_batch(shuffled(2))
    assert read != sorted(read) == list(range(20))


def test_workers_and_collate_function_are_those_of_the_dataloader() -> None:
    def collate(samples: list[tuple[torch.Tensor]]) -> tuple[list[int]]:
        info = torch.utils.data.get_worker_info()
        assert info is None
        return ([int(number) + 100 for (number,) in samples],)

    dataloader = DataLoader(
        DATASET, batch_size=2, num_workers=2, prefetch_factor=3, collate_fn=collate
    )
    assert first_batch(dataloader, micro_batches=2) == [100, 101]


@pytest.mark.parametrize(
    "dataloader",
    [
        DataLoader(DATASET, batch_size=None),
        DataLoader(DATASET, batch_sampler=[[1, 2], [3, 4]]),
        DataLoader(DATASET, batch_sampler=BatchSampler([5, 6], batch_size=2, drop_last=False)),
        DataLoader(DATASET, batch_size=2, sampler=SubsetRandomSampler([1, 2])),
        DataLoader(DATASET, batch_size=2, num_workers=1, multiprocessing_context="forkserver"),
    ],
    ids=["no batches", "own batches", "batches of own order", "own order", "own processes"],
)
def test_what_can_t_be_repeated_is_refused(dataloader: DataLoader[Any]) -> None:
    with pytest.raises(DataUnsuitable, match="the DataLoader"):
        from_dataloader(dataloader)


@pytest.mark.parametrize("context", ["fork", torch.multiprocessing.get_context("fork")])
def test_workers_are_started_as_the_dataloader_says(context: object) -> None:
    dataloader: DataLoader[Any] = DataLoader(
        DATASET,
        batch_size=2,
        num_workers=1,
        multiprocessing_context=context,
    )
    assert first_batch(dataloader) == [0, 1]

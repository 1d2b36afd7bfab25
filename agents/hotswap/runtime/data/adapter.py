"""A loader out of the ``torch.utils.data.DataLoader`` that a script already has."""

from typing import Any, Final

from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler

from hotswap.errors import DataUnsuitable
from hotswap.runtime.data.loader import Loader
from hotswap.runtime.data.worker_readers import StartMethod

_START_METHODS: Final[dict[str | None, StartMethod]] = {
    None: "fork",
    "fork": "fork",
    "spawn": "spawn",
}


def from_dataloader(dataloader: DataLoader[Any], *, micro_batches: int = 1) -> Loader:
    """Read what a ``DataLoader`` reads, in an order that a step can be repeated in.

    Taken over are data set, batch size, shuffling, collate function, workers, their preparation
    and start method, reading ahead, and page-locked memory. Its sampler and its generator are
    not: which samples a rank reads follows from (seed, step, rank, micro-batch) alone.

    Args:
        dataloader: as the script made it, with ``shuffle`` true or false.
        micro_batches: batches in one step of one rank.

    Raises:
        DataUnsuitable: the ``DataLoader`` has a sampler of its own, does not make batches,
            or starts workers in a way that is not supported.
    """
    if dataloader.batch_size is None or type(dataloader.batch_sampler) is not BatchSampler:
        raise DataUnsuitable(
            "the DataLoader makes its batches in a way of its own: give it a `batch_size`, and no"
            " `batch_sampler`"
        )
    if type(dataloader.sampler) not in {RandomSampler, SequentialSampler}:
        raise DataUnsuitable(
            f"the DataLoader reads in the order of a {type(dataloader.sampler).__name__}, so a step"
            " could not be repeated: leave out `sampler`; `shuffle` is fine, and ranks read"
            " different samples without a DistributedSampler"
        )
    ahead = (dataloader.prefetch_factor or 0) * dataloader.num_workers
    dataset: Any = dataloader.dataset
    return Loader(
        dataset,
        batch_size=dataloader.batch_size,
        micro_batches=micro_batches,
        shuffle=type(dataloader.sampler) is RandomSampler,
        num_workers=dataloader.num_workers,
        collate_fn=dataloader.collate_fn,
        worker_init_fn=dataloader.worker_init_fn,
        prefetch_steps=-(-ahead // micro_batches),
        pin_memory=dataloader.pin_memory,
        start_method=_start_method(dataloader),
    )


def _start_method(dataloader: DataLoader[Any]) -> StartMethod:
    """Give how the workers are to be started."""
    context = dataloader.multiprocessing_context
    name = None if context is None else context.get_start_method()
    if name not in _START_METHODS:
        raise DataUnsuitable(
            f"the DataLoader starts workers by {name!r}: choose 'fork' or 'spawn' as its"
            " `multiprocessing_context`"
        )
    return _START_METHODS[name]

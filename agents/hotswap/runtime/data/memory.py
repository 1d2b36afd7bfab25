"""A job's data that fits in memory: the smallest data source, for small jobs and for tests."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from hotswap.errors import DataMisused
from hotswap.runtime.data.order import SampleOrder

_Sample = TypeVar("_Sample")


class MemorySource(Generic[_Sample]):
    """Micro-batches as tuples of samples out of a sequence, read without a random draw.

    Args:
        samples: the data set; samples are handed out themselves, so they must be immutable.
        batch_size: samples in one micro-batch of one rank.
        micro_batches: micro-batches in one step.
        shuffle: read every pass in another random order.
    """

    def __init__(
        self,
        samples: Sequence[_Sample],
        *,
        batch_size: int,
        micro_batches: int = 1,
        shuffle: bool = True,
    ) -> None:
        self._samples = samples
        self._batch_size = batch_size
        self._micro_batches = micro_batches
        self._shuffle = shuffle
        self._order: SampleOrder | None = None
        self._rank = 0

    @property
    def micro_batches(self) -> int:
        """Micro-batches in one step of one rank."""
        return self._micro_batches

    def bind(self, *, seed: int, rank: int, world_size: int) -> None:
        """Take the role of a rank."""
        self._rank = rank
        self._order = SampleOrder(
            dataset_length=len(self._samples),
            batch_size=self._batch_size,
            micro_batches=self._micro_batches,
            world_size=world_size,
            seed=seed,
            shuffle=self._shuffle,
        )

    def seek(self, step: int) -> None:
        """Do nothing: every place is as near as any other."""
        del step
        self._bound()

    def batch(self, step: int, micro_batch: int) -> tuple[_Sample, ...]:
        """Give one micro-batch.

        Raises:
            DataMisused: the source is not bound, or the step has fewer micro-batches.
        """
        ids = self._bound().ids(step=step, rank=self._rank, micro_batch=micro_batch)
        return tuple(self._samples[sample] for sample in ids)

    def sample_ids(self, step: int) -> tuple[int, ...]:
        """Name the samples of all micro-batches of ``step``, in order."""
        return self._bound().step_ids(step=step, rank=self._rank)

    def close(self) -> None:
        """Do nothing: there are no workers."""

    def _bound(self) -> SampleOrder:
        """Give the order, if the source is bound."""
        if self._order is None:
            raise DataMisused("the data has no rank yet: pass it to run.protect(data=...)")
        return self._order

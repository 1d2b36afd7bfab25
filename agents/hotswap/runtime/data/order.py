"""Which sample is read: a function of (seed, step, rank, micro-batch), and of nothing else."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hotswap.errors import DataMisused, DataUnsuitable
from hotswap.runtime.data.permutation import Permutation

#: A position in the order is a number of 63 bits.
DATASET_LENGTH_MAX: Final = 1 << 62

#: A batch touches one pass, or two where a pass ends; the next step's pass comes on top.
_PERMUTATIONS_KEPT: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOrder:
    """The order in which all ranks together read a data set, pass after pass.

    The samples of all steps stand in one line; step, micro-batch, rank and place in the batch
    are the digits of the position in it::

        position = ((step * micro_batches + micro_batch) * world_size + rank) * batch_size + place
        pass     = position // dataset_length
        sample   = permutation_of_the_pass[position % dataset_length]

    So each sample is read once per pass: none twice, none left out. A batch that reaches over
    the end of a pass goes on in the next one.

    Raises:
        DataUnsuitable: a size is less than 1.
    """

    # samples in the data set
    dataset_length: int
    # samples in one micro-batch of one rank
    batch_size: int
    # micro-batches in one step of one rank
    micro_batches: int
    # number of ranks
    world_size: int
    # the job's seed
    seed: int
    # False reads 0, 1, 2, ... in every pass
    shuffle: bool = True

    def __post_init__(self) -> None:
        """Refuse sizes that give no order."""
        for name in ("dataset_length", "batch_size", "micro_batches", "world_size"):
            if getattr(self, name) < 1:
                raise DataUnsuitable(f"{name} is {getattr(self, name)}: it must be at least 1")
        if self.dataset_length > DATASET_LENGTH_MAX:
            raise DataUnsuitable(
                f"the data set has {self.dataset_length} samples: split it, the most is"
                f" {DATASET_LENGTH_MAX}"
            )

    def ids(self, *, step: int, rank: int, micro_batch: int) -> tuple[int, ...]:
        """Give the samples of one micro-batch, in order.

        Returns:
            ``batch_size`` indices into the data set.

        Raises:
            DataMisused: there is no such rank or micro-batch, or the step is negative.
        """
        first = self._position(step=step, rank=rank, micro_batch=micro_batch)
        return tuple(self._sample_at(place) for place in range(first, first + self.batch_size))

    def step_ids(self, *, step: int, rank: int) -> tuple[int, ...]:
        """Give the samples that ``rank`` reads in ``step``, all micro-batches in order.

        Returns:
            ``micro_batches * batch_size`` indices into the data set.
        """
        return tuple(
            sample
            for micro_batch in range(self.micro_batches)
            for sample in self.ids(step=step, rank=rank, micro_batch=micro_batch)
        )

    def _position(self, *, step: int, rank: int, micro_batch: int) -> int:
        """Give the place of a micro-batch's first sample in the line of all samples."""
        if step < 0 or not 0 <= rank < self.world_size or not 0 <= micro_batch < self.micro_batches:
            raise DataMisused(
                f"step {step}, rank {rank}, micro-batch {micro_batch} is outside of"
                f" {self.world_size} ranks with {self.micro_batches} micro-batches a step"
            )
        batch = (step * self.micro_batches + micro_batch) * self.world_size + rank
        return batch * self.batch_size

    def _sample_at(self, position: int) -> int:
        """Give the sample at a place of the line."""
        data_pass, place = divmod(position, self.dataset_length)
        if not self.shuffle:
            return place
        return _permutation_of_pass(self.dataset_length, self.seed, data_pass)(place)


@lru_cache(maxsize=_PERMUTATIONS_KEPT)
def _permutation_of_pass(dataset_length: int, seed: int, data_pass: int) -> Permutation:
    """Give the permutation of one pass; few are kept, and none holds a table."""
    return Permutation(length=dataset_length, key=f"{seed}:{data_pass}")

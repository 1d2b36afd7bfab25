"""A data set as a job's data: a ``torch.utils.data.DataLoader`` whose place can be moved."""

from dataclasses import dataclass
from typing import Any

from torch.utils.data import IterableDataset, default_collate

from hotswap.errors import DataMisused, DataUnsuitable, SampleUnreadable
from hotswap.limits import Limits
from hotswap.runtime.data.feed import Feed
from hotswap.runtime.data.order import SampleOrder
from hotswap.runtime.data.reader import BatchReader, Collate, MapDataset, Reply
from hotswap.runtime.data.readers import InlineReaders, Readers
from hotswap.runtime.data.worker import WorkerInit
from hotswap.runtime.data.worker_readers import StartMethod, WorkerReaders


class Loader:
    """Batches of a data set, each a function of (seed, step, rank, micro-batch).

    Whatever reads a batch, this process or a worker, now or when the step is repeated, on this
    node or another: the batch has the same bits. Before a batch is read, the global generators
    of torch (host), ``random`` and numpy are seeded for it, and put back afterwards; a data set
    that makes generators of its own from the clock or the system is not reproducible.

    Moving to another place is cheap: workers go on running, and what they have read ahead in
    vain is dropped. All methods are for one thread, the training's.

    Args:
        dataset: gives samples by index, and has a length, the same on every node.
        batch_size: samples in one micro-batch of one rank.
        micro_batches: calls of ``step.batch()`` in one step, for gradient accumulation.
        shuffle: read every pass in another random order.
        num_workers: processes that read ahead; 0 reads in the training process.
        collate_fn: makes a batch of a list of samples; torch's ``default_collate`` if None.
        worker_init_fn: called in each worker first, with its number. Connections that were
            opened before are closed there.
        prefetch_steps: steps that the workers read ahead.
        pin_memory: copy batches to page-locked memory, for faster copies to an accelerator; no
            effect on a machine without one.
        start_method: how workers are started. ``"fork"`` is quick and takes any data set;
            ``"spawn"`` needs one that can be pickled.
        limits: ``data_batch_s``, ``data_worker_stop_s`` and ``data_in_flight_max`` are used.

    Raises:
        DataUnsuitable: the data set has no length or no samples, or a size is out of range.
    """

    def __init__(  # noqa: PLR0913 - what a DataLoader is told, by the same names
        self,
        dataset: MapDataset,
        *,
        batch_size: int,
        micro_batches: int = 1,
        shuffle: bool = True,
        num_workers: int = 0,
        collate_fn: Collate | None = None,
        worker_init_fn: WorkerInit | None = None,
        prefetch_steps: int = 2,
        pin_memory: bool = False,
        start_method: StartMethod = "fork",
        limits: Limits | None = None,
    ) -> None:
        self._dataset_length = _length_of(dataset)
        self._batch_size = batch_size
        self._micro_batches = micro_batches
        self._shuffle = shuffle
        # refuses wrong sizes here, where the script passes them, not when a rank is known
        self._feed = Feed(order=self._order(seed=0, world_size=1), rank=0)
        limits = limits or Limits()
        self._ahead = _batches_ahead(
            num_workers=num_workers,
            batches=prefetch_steps * micro_batches,
            batches_max=limits.data_in_flight_max,
        )
        reader = BatchReader(dataset=dataset, collate=collate_fn or default_collate)
        self._readers: Readers = (
            WorkerReaders(
                reader=reader,
                num_workers=num_workers,
                start_method=start_method,
                worker_init=worker_init_fn,
                pin_memory=pin_memory,
                limits=limits,
            )
            if num_workers
            else InlineReaders(reader=reader, pin_memory=pin_memory)
        )
        self._role: _Role | None = None
        # position of the micro-batch that the readers give next; None: the feed must be redirected
        self._next: int | None = None

    @property
    def micro_batches(self) -> int:
        """Micro-batches in one step; the ledger counts all of them as read."""
        return self._micro_batches

    @property
    def order(self) -> SampleOrder:
        """Which sample is read when; known once the loader is bound."""
        return self._bound().order

    def bind(self, *, seed: int, rank: int, world_size: int) -> None:
        """Take the role of a rank.

        Raises:
            DataUnsuitable: ``rank`` is outside of ``0..world_size - 1``.
        """
        if not 0 <= rank < world_size:
            raise DataUnsuitable(f"rank {rank} is outside of 0..{world_size - 1}")
        role = _Role(order=self._order(seed=seed, world_size=world_size), rank=rank)
        if role != self._role:
            self._role = role
            self._next = None

    def seek(self, step: int) -> None:
        """Stand at the start of ``step``; workers begin to read ahead.

        Raises:
            DataMisused: the loader is not bound.
            DataWorkerLost: workers could not be started.
        """
        self._stand_at(self._position(step=step, micro_batch=0))
        self._readers.start()
        self._request(self._ahead)

    def batch(self, step: int, micro_batch: int) -> Any:  # noqa: ANN401 - as the script collates
        """Give one micro-batch; it belongs to the caller, who may change it.

        Fast in the order of the steps; any other place, an earlier one too, is moved to first.

        Raises:
            DataMisused: the loader is not bound, or the step has fewer micro-batches.
            SampleUnreadable: the data set raised an error; its traceback is in the message.
            DataWorkerLost: a worker has died or hangs.
        """
        position = self._position(step=step, micro_batch=micro_batch)
        self._stand_at(position)
        # until the batch is here, nothing is known about the place of the readers
        self._next = None
        reply = self._receive()
        self._next = position + 1
        if reply.failure:
            raise SampleUnreadable(
                f"step {step}, micro-batch {micro_batch}, rank {self._bound().rank}: the data set"
                " raised the error below. Mend the data set, or take the sample out of it\n"
                f"{reply.failure}"
            )
        return reply.batch

    def sample_ids(self, step: int) -> tuple[int, ...]:
        """Name the samples of all micro-batches of ``step``, in order.

        Raises:
            DataMisused: the loader is not bound.
        """
        role = self._bound()
        return role.order.step_ids(step=step, rank=role.rank)

    def close(self) -> None:
        """End the workers; idempotent. A later call that needs them starts new ones."""
        self._next = None
        self._readers.stop()

    def _receive(self) -> Reply:
        """Give the reply to the feed's oldest valid request, dropping those read in vain."""
        while True:
            # one is taken out of the line right away
            self._request(self._ahead + 1)
            reply = self._readers.receive()
            if reply.generation == self._feed.generation:
                return reply

    def _request(self, outstanding: int) -> None:
        """Have so many requests on their way."""
        while self._readers.outstanding < outstanding:
            self._readers.submit(self._feed.request())

    def _stand_at(self, position: int) -> None:
        """Make ``position`` the next micro-batch that the readers give."""
        if position != self._next:
            role = self._bound()
            self._feed.redirect(order=role.order, rank=role.rank, position=position)
            self._next = position

    def _position(self, *, step: int, micro_batch: int) -> int:
        """Count the micro-batches before this one."""
        if step < 0 or not 0 <= micro_batch < self._micro_batches:
            raise DataMisused(
                f"step {step} has no micro-batch {micro_batch}: the Loader was made with"
                f" micro_batches={self._micro_batches}"
            )
        return step * self._micro_batches + micro_batch

    def _bound(self) -> "_Role":
        """Give the role, if there is one."""
        if self._role is None:
            raise DataMisused("the Loader has no rank yet: pass it to run.protect(data=...)")
        return self._role

    def _order(self, *, seed: int, world_size: int) -> SampleOrder:
        """Give the order of reading for a job."""
        return SampleOrder(
            dataset_length=self._dataset_length,
            batch_size=self._batch_size,
            micro_batches=self._micro_batches,
            world_size=world_size,
            seed=seed,
            shuffle=self._shuffle,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Role:
    """What a loader is bound to."""

    # order of reading of all ranks
    order: SampleOrder
    # the rank whose part is read
    rank: int


def _length_of(dataset: MapDataset) -> int:
    """Count the samples of a data set that has an order to choose."""
    if isinstance(dataset, IterableDataset) or not hasattr(dataset, "__len__"):
        raise DataUnsuitable(
            f"{type(dataset).__name__} gives its samples in an order of its own, so a step could"
            " not be repeated: pass a data set with __len__ and __getitem__, or an object with"
            " the methods of hotswap.runtime.data.DataSource as data="
        )
    return len(dataset)


def _batches_ahead(*, num_workers: int, batches: int, batches_max: int) -> int:
    """Give the batches to read ahead: at least one for each worker."""
    if num_workers < 0 or batches < 0:
        raise DataUnsuitable("num_workers and prefetch_steps must not be negative")
    ahead = max(batches, num_workers) if num_workers else 0
    if ahead > batches_max:
        raise DataUnsuitable(
            f"{ahead} batches would be read ahead; the limit `data_in_flight_max` is"
            f" {batches_max}: pass a smaller `prefetch_steps` or `num_workers`"
        )
    return ahead

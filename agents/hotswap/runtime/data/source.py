"""What a training job's data must be able to do: the port between a script's data and a step."""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class DataSource(Protocol):
    """Batches that are a function of (seed, step, rank, micro-batch).

    :class:`~hotswap.runtime.data.loader.Loader` is one. A class of your own is another: pass an
    instance as ``data=`` to ``run.protect``.

    Calls, all of them by the training thread:

    1. ``bind``, once this process has a rank; again if it gets another one.
    2. ``seek`` before the first step, after a take-over, and after a roll-back.
    3. ``batch(step, 0)``, ``batch(step, 1)``, ... by the script, ``micro_batches`` times: a step
       with fewer or more calls is not committed. A step that is repeated asks
       for the same batches again, without a ``seek``; each must come out the same, bit for bit,
       even if the script has changed the first one in place. Then comes the next step.
    4. ``sample_ids`` once per committed step, for the ledger. It may also ask for a step whose
       batches were never fetched here: one that another node computed before it failed.
    5. ``close``, once, at the end. It may come at any time, also twice.

    Whatever is drawn at random for a batch must come from
    :func:`~hotswap.runtime.data.seeds.derive_seed`, so that another node draws the same. Fetching
    a batch must leave the process's random generators as it found them.
    """

    @property
    def micro_batches(self) -> int:
        """Micro-batches in one step of one rank."""
        ...

    def bind(self, *, seed: int, rank: int, world_size: int) -> None:
        """Take the role of ``rank`` among ``world_size`` ranks in the job of seed ``seed``."""
        ...

    def seek(self, step: int) -> None:
        """Stand at the start of ``step``; may begin to read ahead. Idempotent."""
        ...

    def batch(self, step: int, micro_batch: int) -> Any:  # noqa: ANN401 - the script's own type
        """Give micro-batch ``micro_batch`` of ``step``; it belongs to the caller."""
        ...

    def sample_ids(self, step: int) -> tuple[int, ...]:
        """Name the samples of all micro-batches of ``step``, as the ledger records them. Pure."""
        ...

    def close(self) -> None:
        """End worker processes and give back memory. Idempotent."""
        ...

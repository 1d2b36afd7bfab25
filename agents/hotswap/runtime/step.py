"""One step of the training loop: a transaction around forward, backward and optimizer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol, Self

from hotswap.errors import DataMisused, StepMisused
from hotswap.runtime.data.seeds import derive_seed, seed_process

if TYPE_CHECKING:
    from types import TracebackType

    from torch import Tensor

    from hotswap.runtime.data.source import DataSource


class Conductor(Protocol):
    """Who decides what becomes of a step: the member of a protected job, or nobody but us."""

    def begin(self) -> None:
        """Note that a step's work begins: what it changes on the way must be undoable."""
        ...

    def commit(self, step: Step) -> None:
        """Make the step count: vote, then apply. EpochLost when it can't."""
        ...

    def lost(self) -> bool:
        """Whether the epoch is lost; the model is then as it was before the step."""
        ...


class Step:
    """One step, used as a context manager around everything that belongs to it.

    Whatever is inside may run again with the same index: after a loss the step is repeated by
    all ranks, with the same batches and the same random numbers.
    """

    def __init__(
        self,
        *,
        index: int,
        epoch: int,
        rank: int,
        seed: int,
        data: DataSource | None,
        conductor: Conductor,
    ) -> None:
        """Describe step ``index`` of ``rank`` in ownership epoch ``epoch``."""
        #: 0-based index of the step: how many steps were applied before it
        self.index = index
        #: ownership epoch in which it runs; a step that is repeated has a later one
        self.epoch = epoch
        #: whether the step counts; False while it runs and when it has to be repeated
        self.committed = False
        #: loss as committed, None before
        self.loss: float | None = None
        #: what the script reported of the step
        self.values: dict[str, float] = {}
        self.started_s = 0.0
        self._rank = rank
        self._seed = seed
        self._data = data
        self._conductor = conductor
        self._micro_batch = 0
        self.entered = False

    def __enter__(self) -> Self:
        """Begin: seed the random number generators for (seed, step, rank)."""
        if self.entered:
            message = "a step is entered once: take the next one from run.steps()"
            raise StepMisused(message)
        self.entered = True
        self.started_s = time.monotonic()
        seed_process(derive_seed(seed=self._seed, step=self.index, rank=self._rank))
        self._conductor.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """End: swallow what a lost epoch has raised, so that the step is repeated."""
        if kind is None:
            if not self.committed and not self._conductor.lost():
                message = (
                    f"step {self.index} ended without step.commit(loss): "
                    "call it as the last line inside `with step:`"
                )
                raise StepMisused(message)
            return False
        if self.committed or not issubclass(kind, Exception):
            return False
        return self._conductor.lost()

    def batch(self) -> Any:  # noqa: ANN401 - whatever the data source yields
        """Return the next micro-batch of this step: a function of (seed, step, rank, call).

        Raises:
            DataMisused: the step has had all of its micro-batches.
            StepMisused: there is no data source.

        """
        if self._data is None:
            message = "step.batch() needs run.protect(..., data=...)"
            raise StepMisused(message)
        if self._micro_batch >= self._data.micro_batches:
            raise self._miscounted(self._data, f"more than {self._micro_batch}")
        batch = self._data.batch(self.index, self._micro_batch)
        self._micro_batch += 1
        return batch

    def report(self, **values: float | Tensor) -> None:
        """Attach values, such as ``validation_loss``; they count only if the step does."""
        self.values.update({name: _number(value) for name, value in values.items()})

    def commit(self, loss: float | Tensor | None = None) -> None:
        """Make the step count on every rank: vote, optimizer, scheduler, gradients to None.

        Args:
            loss: this rank's loss, for progress; None reports none.

        Raises:
            DataMisused: `batch` was called less often than the step has micro-batches.
            EpochLost: a rank was lost; `with step:` catches it, and the step is repeated.
            ProtectedChanged: the optimizer is not what `protect` was given.
            StepMisused: the step was committed before.

        """
        if self.committed or not self.entered:
            message = "step.commit(loss) is called once, inside `with step:`"
            raise StepMisused(message)
        if self._data is not None and self._micro_batch != self._data.micro_batches:
            raise self._miscounted(self._data, str(self._micro_batch))
        self.loss = None if loss is None else _number(loss)
        self._conductor.commit(self)
        self.committed = True

    def _miscounted(self, data: DataSource, calls: str) -> DataMisused:
        """Say that samples would be recorded that were not read, or the other way round."""
        return DataMisused(
            f"step {self.index} has {calls} calls of step.batch(), and its data "
            f"micro_batches={data.micro_batches}: call it so often before step.commit(loss), or "
            "make the data with the number of calls as micro_batches"
        )


def _number(value: float | Tensor) -> float:
    # A tensor that is part of a graph warns when it is made a number.
    return float(value if isinstance(value, (int, float)) else value.detach())

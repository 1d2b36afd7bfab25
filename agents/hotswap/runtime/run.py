"""What a training script holds: its place in the job, and its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from hotswap.errors import NotProtectable, StepMisused
from hotswap.runtime.capsule.state import RankState
from hotswap.runtime.data.source import DataSource
from hotswap.runtime.step import Conductor, Step
from hotswap.transfer.digest import root_digest, tensor_digests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import torch
    from torch import nn
    from torch.optim import Optimizer

#: What a data source has.
_SOURCE = ("micro_batches", "bind", "seek", "batch", "sample_ids", "close")


class JobConductor(Conductor, Protocol):
    """What a run needs of the one who decides: see ``member.Member`` and ``solo.Solo``."""

    @property
    def epoch(self) -> int:
        """Ownership epoch in force."""
        ...

    def protect(self, state: RankState, data: DataSource | None) -> None:
        """Take charge of the state."""
        ...

    def boundary(self, total: int) -> int:
        """Bring this process to the start of its next step and return the step's index.

        Blocks through recoveries, and in a standby until it owns a rank.
        """
        ...

    def finish(self) -> bool:
        """Every step is done here; False when the job has to recover once more."""
        ...


class Run:
    """This process's part in a training job; made by :func:`hotswap.join`."""

    def __init__(
        self,
        *,
        rank: int,
        world_size: int,
        device: torch.device,
        seed: int,
        conductor: JobConductor,
    ) -> None:
        """Hold rank ``rank`` of ``world_size`` on ``device``."""
        #: role of this process, 0 to ``world_size - 1``
        self.rank = rank
        #: number of ranks
        self.world_size = world_size
        #: where this rank's tensors belong
        self.device = device
        #: seed of data order and random numbers
        self.seed = seed
        self._conductor = conductor
        self._data: DataSource | None = None
        self._state: RankState | None = None

    @property
    def epoch(self) -> int:
        """Ownership epoch in force; rises with every change of a rank's owner."""
        return self._conductor.epoch

    def digest(self) -> str:
        """Return the digest of this rank's state: parameters, optimizer state and buffers.

        Equal digests are equal bits. Call it between two steps or after the last.

        Raises:
            StepMisused: `protect` was not called.

        """
        if self._state is None:
            message = "call run.protect(model=..., optimizer=...) before run.digest()"
            raise StepMisused(message)
        return root_digest(self._state.digests(tensor_digests))

    def protect(
        self,
        *,
        model: nn.Module,
        optimizer: Optimizer,
        scheduler: Any = None,  # noqa: ANN401 - any object with step and state_dict
        scaler: Any = None,  # noqa: ANN401 - torch.amp.GradScaler or alike
        data: DataSource | None = None,
        extra: Mapping[str, Any] | None = None,
        after_step: Callable[[], None] | None = None,
    ) -> None:
        """Say what this rank's state consists of. Call it once, before the first step.

        Args:
            model: the model, already sharded or wrapped.
            optimizer: an elementwise torch optimizer over the model's parameters.
            scheduler: learning-rate scheduler; ``commit`` steps it.
            scaler: gradient scaler; ``commit`` unscales, checks and updates it.
            data: data source of ``step.batch()``.
            extra: further state by name, objects with ``state_dict`` and ``load_state_dict``.
            after_step: called after each optimizer step, e.g. to update an average of the
                weights that is part of ``extra``. It must not call collectives.

        Raises:
            NotProtectable: the state can't be replayed, or the data is no data source; the
                message says what to change.
            StepMisused: called twice.

        """
        if self._state is not None:
            message = "run.protect() is called once; pass everything in one call"
            raise StepMisused(message)
        if data is not None:
            _check_source(data)
        state = RankState(
            model=model,
            optimizer=optimizer,
            scheduler=scheduler,
            scaler=scaler,
            extra=dict(extra or {}),
            after_step=after_step,
        )
        if data is not None:
            data.bind(seed=self.seed, rank=self.rank, world_size=self.world_size)
        self._data = data
        self._conductor.protect(state, data)
        self._state = state

    def steps(self, total: int) -> Iterator[Step]:
        """Yield the steps that are still to do, up to ``total`` applied steps.

        The first one is where the committed state says. A step that had to be given up is
        yielded again. Between two steps this process may change from a standby into the owner of
        a rank, or leave the job: then SystemExit is raised here.

        Raises:
            StepMisused: `protect` was not called, or a step was taken but not entered.

        """
        if self._state is None:
            message = "call run.protect(model=..., optimizer=...) before run.steps()"
            raise StepMisused(message)
        position: int | None = None
        while True:
            index = self._conductor.boundary(total)
            if index >= total:
                if self._conductor.finish():
                    return
                continue
            if self._data is not None and index != position:
                self._data.seek(index)
            position = index
            step = Step(
                index=index,
                epoch=self._conductor.epoch,
                rank=self.rank,
                seed=self.seed,
                data=self._data,
                conductor=self._conductor,
            )
            yield step
            if not step.entered:
                message = f"step {index} was taken but not entered: write `with step:`"
                raise StepMisused(message)
            if step.committed:
                position = index + 1


def _check_source(data: object) -> None:
    """Refuse what is no data source, by what it lacks."""
    if isinstance(data, DataSource):
        return
    lacking = ", ".join(sorted(name for name in _SOURCE if not hasattr(data, name)))
    message = (
        f"data= is a {type(data).__name__}, which lacks {lacking}: pass a hotswap.Loader, what "
        "hotswap.runtime.data.from_dataloader makes of a DataLoader, or a DataSource of your own"
    )
    raise NotProtectable(message)

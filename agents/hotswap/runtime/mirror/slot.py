"""One rank's state as a mirror holds it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from hotswap.coordinator.core.mirror import Verdict
from hotswap.errors import ReplayGap, SegmentUnexpected, StateMismatch
from hotswap.runtime.mirror import protocol
from hotswap.runtime.mirror.replay import Replay
from hotswap.transfer.buffers import DTYPES
from hotswap.transfer.digest import differing, tensor_checksums, tensor_digests

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from torch import Tensor

    from hotswap.coordinator.core.mirror import MirrorCore
    from hotswap.runtime.capsule.units import UnitSpec
    from hotswap.transfer.header import Segment
    from hotswap.wire.messages import Holding


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreportedStep:
    """A step that the lost owner may have committed and not reported."""

    # epoch in which it was computed
    epoch: int
    # the optimizer's call was skipped, as ``RankState.advance`` has to know
    skip: bool
    loss: float | None
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Pending:
    """What a step will change besides the units, once it is committed."""

    buffers: dict[str, Tensor]
    unreported: UnreportedStep


@dataclass(frozen=True, slots=True)
class TakenState:
    """A rank's state, out of its mirror, as ``RankState.load`` takes it."""

    version: int
    units: tuple[UnitSpec, ...]
    tensors: Mapping[str, Tensor]
    buffers: Mapping[str, Tensor]
    # of ``version``, or of the version before: then ``RankState.advance`` is due
    small: tuple[bytes, Sequence[Tensor]]
    # step that was applied here just now; None: the owner had it applied
    applied: UnreportedStep | None


class MirrorSlot:
    """Holds one rank; a link's thread writes it, the main thread takes it over.

    What may be done with a bundle is ``MirrorCore``'s to say, under ``guard``; what it has said
    counts as done. The tensors are here, under the slot's own lock, so that a take-over never sees
    half a bundle. Whoever holds ``guard`` must not call a method that takes the lock.
    """

    def __init__(
        self,
        rank: int,
        meta: protocol.Describe,
        tensors: Mapping[str, Tensor],
        *,
        core: MirrorCore,
        guard: AbstractContextManager[object],
    ) -> None:
        """Begin an empty copy of ``rank`` as ``meta`` describes it.

        Raises:
            NumericsDiffer: this process would compute other bits than the owner.
            NotProtectable: this process does not know the optimizer's class.

        """
        self.rank = rank
        self._core = core
        self._guard = guard
        self._lock = threading.Lock()
        self._replay = Replay(optimizer=meta.optimizer, units=meta.units)
        self._names = tuple(spec.name for spec in meta.units)
        self._buffers = _named(tensors, protocol.buffer_name(""))
        self._small = (meta.small, _small(tensors))
        self._pending: _Pending | None = None
        self._damaged: set[str] = set()
        self._taken = False

    def holding(self) -> Holding | None:
        """Return what the slot holds; None once it was taken."""
        with self._guard:
            return None if self._taken else self._core.holding()

    @property
    def complete(self) -> bool:
        """Whether every unit is present at the slot's version."""
        with self._guard:
            return self._core.complete

    # ------------------------------------------------------------------------- from the link

    def admits(self, epoch: int) -> bool:
        """Whether a bundle of ``epoch`` may be received at all."""
        with self._guard:
            return not self._taken and self._core.admits(epoch)

    def gradient_target(self) -> Callable[[Segment], Tensor]:
        """Return where to receive the segments of a step's gradients: held memory, used again.

        Gradients that are pending are given up: they are about to be overwritten.
        """
        with self._lock:
            with self._guard:
                self._core.pending = False
            self._pending = None
            gradients = self._replay.gradient_buffers()
        prefix = protocol.gradient_name("")

        def target(segment: Segment) -> Tensor:
            if not segment.name.startswith(prefix):
                return torch.empty(segment.shape, dtype=DTYPES[segment.dtype])
            buffer = gradients.get(segment.name.removeprefix(prefix))
            if buffer is None:
                message = f"{segment.name!r} is the gradient of no unit of rank {self.rank}"
                raise SegmentUnexpected(message)
            return buffer

        return target

    def put_units(
        self,
        meta: protocol.Units,
        *,
        epoch: int,
        version: int,
        tensors: Mapping[str, Tensor],
        damaged: Sequence[str],
    ) -> tuple[str, ...]:
        """Copy units in at ``version``; return all tensors of the copy that arrived damaged."""
        with self._lock:
            self._damaged.update(damaged)
            if not damaged:
                for spec in meta.units:
                    self._replay.put_unit(spec, version=version, tensors=tensors)
            complete = self._replay.complete and not self._damaged
            with self._guard:
                self._core.copied(epoch=epoch, complete=complete)
            return tuple(sorted(self._damaged))

    def hold(
        self,
        meta: protocol.Gradients,
        *,
        epoch: int,
        step: int,
        tensors: Mapping[str, Tensor],
    ) -> None:
        """Hold a step's gradients until the step is committed or given up.

        Raises:
            ReplayGap: gradients of earlier steps never came.

        """
        with self._lock:
            with self._guard:
                taken = self._takes(self._core.gradients(epoch=epoch, step=step), step)
            if not taken:
                return
            gradients = _named(tensors, protocol.gradient_name(""))
            self._replay.log(
                step=step,
                gradients=[gradients.get(name) for name in self._names],
                hyperparameters=meta.hyperparameters,
                skip=meta.skip,
            )
            self._pending = _Pending(
                buffers=_named(tensors, protocol.buffer_name("")),
                unreported=UnreportedStep(
                    epoch=epoch, skip=meta.skip, loss=meta.loss, values=meta.values
                ),
            )

    def commit(
        self, meta: protocol.Commit, *, epoch: int, step: int, tensors: Mapping[str, Tensor]
    ) -> None:
        """Apply the step that is held.

        Raises:
            ReplayGap: it is not the step that was committed.
            StateMismatch: bits changed at rest since the last step; ``tensors`` says where.

        """
        with self._lock:
            with self._guard:
                taken = self._takes(self._core.commit(epoch=epoch, step=step), step)
            if not taken:
                return
            self._advance()
            self._small = (meta.small, _small(tensors))
            self._replay.seal(tensor_checksums)

    def compare(
        self, digests: Mapping[str, str], *, version: int
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        """Compare with the owner's digests at ``version``: what differs, and the slot's own.

        Raises:
            ReplayGap: the slot is at another version.

        """
        with self._lock:
            if self._replay.version != version or not self.complete:
                message = f"digests of version {version} came to a mirror at {self._replay.version}"
                raise ReplayGap(message)
            own = {**self._replay.digests(tensor_digests), **tensor_digests(self._buffers)}
            names = tuple(differing(own, digests))
            if names:
                with self._guard:
                    self._core.differs()
            return names, own

    # --------------------------------------------------------------------- from the main thread

    def take(self, *, apply_pending: bool) -> TakenState:
        """Give the state away; the slot accepts nothing more.

        Raises:
            StateMismatch: bits changed at rest since the last step; ``tensors`` says where.

        """
        self.freeze()
        with self._lock:
            applied = None
            if apply_pending:
                applied = self._advance()
            else:
                self._scrub()
            assert self._replay.version is not None, "only a complete slot is taken"
            return TakenState(
                version=self._replay.version,
                units=self._replay.specs(),
                tensors=self._replay.tensors(),
                buffers=dict(self._buffers),
                small=self._small,
                applied=applied,
            )

    def specs(self) -> tuple[UnitSpec, ...]:
        """Return what the units are now, so that a model can be prepared for them."""
        with self._lock:
            return self._replay.specs()

    def freeze(self) -> None:
        """Accept nothing more from the link: the state is about to be taken. Never waits long."""
        with self._guard:
            self._taken = True

    def _takes(self, verdict: Verdict, step: int) -> bool:
        if self._taken or verdict is Verdict.GAP:
            message = f"the mirror of rank {self.rank} can't follow step {step}: copy it anew"
            raise ReplayGap(message)
        return verdict is Verdict.TAKE

    def _advance(self) -> UnreportedStep:
        pending, self._pending = self._pending, None
        assert pending is not None, "the core says that a step is pending"
        self._scrub()
        self._replay.apply()
        self._buffers.update(pending.buffers)
        return pending.unreported

    def _scrub(self) -> None:
        changed = self._replay.scrub(tensor_checksums)
        if changed:
            with self._guard:
                self._core.differs()
            message = (
                f"the mirror of rank {self.rank} changed at rest in {', '.join(changed)}: "
                "its memory is not sound, and it must not be swapped in"
            )
            raise StateMismatch(message, tensors=changed)


def _named(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _small(tensors: Mapping[str, Tensor]) -> list[Tensor]:
    named = _named(tensors, protocol.small_name(0).removesuffix("0"))
    return [named[str(position)] for position in range(len(named))]

"""Everything the owner of a rank does for its mirrors, in the order of a step."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from hotswap.runtime.mirror import protocol
from hotswap.transfer.order import CopyUnit, copy_order, next_slice
from hotswap.transfer.pace import CopyPace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch import Tensor

    from hotswap.limits import Limits
    from hotswap.runtime.capsule.state import RankState
    from hotswap.runtime.mirror.link import MirrorLink

#: Where bytes were found to differ.
Where = Literal["copy", "gradient", "mirror"]

#: Damaged gradients are sent again this often before the mirror is given up.
_RESENDS_MAX = 2
#: A mirror that differs is copied anew this often before it is given up: its memory is not sound.
_RECOPIES_MAX = 3


class Reporter(Protocol):
    """Who hears of what happens on the links."""

    def corruption(self, where: Where, *, step: int, tensors: tuple[str, ...], mirror: str) -> None:
        """Bytes differ from what was sent, or from what they should have become."""
        ...


@dataclass(slots=True)
class _Progress:
    """How far one mirror is."""

    link: MirrorLink
    described: bool = False
    # names of units the mirror has been sent, at whatever version
    copied: set[str] = field(default_factory=set)
    # step whose bundle carried units, while its receipt is awaited: one slice at a time
    unanswered: int | None = None
    complete: bool = False
    # epoch in which it was told that it owns the rank from the next one on
    handed_over: int | None = None
    recopies: int = 0

    def start_over(self) -> None:
        self.described = False
        self.copied.clear()
        self.unanswered = None
        self.complete = False


class Replication:
    """The owner's mirrors. The main thread calls everything but ``add`` and ``keep_only``."""

    def __init__(
        self,
        *,
        owner: str,
        state: RankState,
        limits: Limits,
        stamp: Callable[[], tuple[int, int]],
        reporter: Reporter,
    ) -> None:
        """Replicate ``state``; ``stamp`` gives epoch and fencing token for the next bundle."""
        self._owner = owner
        self._state = state
        self._limits = limits
        self._stamp = stamp
        self._reporter = reporter
        self._mirrors: list[_Progress] = []
        self._lock = threading.Lock()
        self._sent: dict[str, Tensor] = {}
        # norm of each unit's last gradient, taken while a mirror is being copied to
        self._magnitudes: dict[str, float] = {}
        self._names = state.unit_names()
        self._pace = CopyPace(share_max=limits.copy_share_max, nbytes_max=limits.copy_slice_nbytes)
        self._gradients = protocol.Gradients(
            hyperparameters=state.hyperparameters(), awaited=False, skip=False
        )

    # ------------------------------------------------------------------------------ who mirrors

    def add(self, link: MirrorLink) -> None:
        """Copy to one more mirror, from the next step boundary on. Any thread."""
        with self._lock:
            self._mirrors.append(_Progress(link))

    def keep_only(self, members: set[str]) -> None:
        """Drop every mirror that ``members`` does not name. Any thread."""
        for mirror in self._all():
            if mirror.link.member not in members:
                mirror.link.drop("the coordinator has assigned another mirror")

    @property
    def members(self) -> set[str]:
        """Names of the mirrors in use."""
        return {mirror.link.member for mirror in self._live()}

    @property
    def protecting(self) -> tuple[str, ...]:
        """Names of the mirrors that hold everything: a step waits for them."""
        return tuple(mirror.link.member for mirror in self._live() if mirror.complete)

    @property
    def sent_nbytes(self) -> int:
        """Bytes sent to all mirrors so far."""
        return sum(mirror.link.sent_nbytes for mirror in self._all())

    def _all(self) -> list[_Progress]:
        with self._lock:
            return list(self._mirrors)

    def _live(self) -> list[_Progress]:
        return [mirror for mirror in self._all() if mirror.link.lost is None]

    # --------------------------------------------------------------------------- order of a step

    def boundary(self, step: int) -> None:
        """Between two steps: free lost links, and copy a slice to each mirror that is behind."""
        self._pace.arrived(time.monotonic())
        with self._lock:
            lost = [mirror for mirror in self._mirrors if mirror.link.lost is not None]
            self._mirrors = [mirror for mirror in self._mirrors if mirror.link.lost is None]
        for mirror in lost:
            mirror.link.close()
        for mirror in self._live():
            self._take_receipts(mirror)
            if not mirror.described:
                self._describe(mirror, step)
            if not mirror.complete and mirror.unanswered is None:
                self._copy(mirror, step)
        self._pace.left(time.monotonic())

    def replicate(
        self,
        step: int,
        *,
        skip: bool,
        loss: float | None = None,
        values: Mapping[str, float] | None = None,
    ) -> None:
        """Send this step's gradients to each mirror, for the units that it has.

        ``loss`` and ``values`` are what is reported of the step, should this process be lost.
        Units that the script itself has written since the last step can't be replayed: every
        mirror is copied to anew.
        """
        if self._state.touched():
            for mirror in self._live():
                mirror.start_over()
        live = [mirror for mirror in self._live() if mirror.described]
        if not live:
            return
        gradients = dict(zip(self._names, self._state.gradients(), strict=True))
        if not all(mirror.complete for mirror in live):
            self._magnitudes = {
                name: float(gradient.norm())
                for name, gradient in gradients.items()
                if gradient is not None
            }
        self._sent = {
            protocol.gradient_name(name): gradient
            for name, gradient in gradients.items()
            if gradient is not None
        }
        self._sent |= {
            protocol.buffer_name(name): tensor for name, tensor in self._state.buffers.changed()
        }
        self._gradients = protocol.Gradients(
            hyperparameters=self._state.hyperparameters(),
            absent=tuple(name for name, gradient in gradients.items() if gradient is None),
            awaited=False,
            skip=skip,
            loss=loss,
            values=dict(values or {}),
        )
        for mirror in live:
            self._send_gradients(mirror, step)

    def acknowledged(self, step: int) -> tuple[str, ...]:
        """Wait until each protecting mirror holds the step, or is dropped; name those that do."""
        for mirror in self._live():
            if mirror.complete:
                self._await_gradients(mirror, step)
        return self.protecting

    def commit(self, step: int) -> None:
        """Step ``step`` has been applied here: the mirrors apply it too."""
        blob, tensors = self._state.small_state()
        small = {protocol.small_name(i): tensor for i, tensor in enumerate(tensors)}
        epoch, _ = self._stamp()
        for mirror in self._live():
            # What takes the rank over applies the step itself.
            if mirror.described and mirror.handed_over != epoch:
                meta = protocol.Commit(small=blob)
                self._send(mirror, protocol.COMMIT, meta, step=step, tensors=small)
        self._sent = {}

    def compare(self, step: int, digests: dict[str, str], *, swap: str = "") -> None:
        """Let every complete mirror compare its digests at version ``step`` with these."""
        for mirror in self._live():
            if mirror.complete:
                meta = protocol.Digests(digests=digests, swap=swap)
                self._send(mirror, protocol.DIGESTS, meta, step=step)

    def hand_over(self, member: str, *, step: int, next_epoch: int) -> None:
        """Tell ``member`` that it owns the rank from version ``step`` on."""
        for mirror in self._live():
            if mirror.link.member == member:
                meta = protocol.Handover(next_epoch=next_epoch)
                mirror.handed_over, _ = self._stamp()
                self._send(mirror, protocol.HANDOVER, meta, step=step)

    def start_over(self) -> None:
        """Copy to every mirror anew: the state was replaced, by a checkpoint's."""
        for mirror in self._live():
            mirror.start_over()

    def close(self) -> None:
        """Drop every mirror."""
        for mirror in self._all():
            mirror.link.close()

    # ---------------------------------------------------------------------------------- one link

    def _send(
        self,
        mirror: _Progress,
        kind: str,
        meta: protocol.Meta,
        *,
        step: int,
        tensors: dict[str, Tensor] | None = None,
    ) -> None:
        epoch, token = self._stamp()
        mirror.link.send(kind, meta, step=step, epoch=epoch, token=token, tensors=tensors)

    def _describe(self, mirror: _Progress, step: int) -> None:
        blob, small = self._state.small_state()
        meta = protocol.Describe(
            owner=self._owner,
            optimizer=self._state.optimizer_spec(),
            units=self._state.unit_specs(),
            small=blob,
        )
        tensors = {protocol.small_name(i): tensor for i, tensor in enumerate(small)}
        tensors |= {
            protocol.buffer_name(name): tensor
            for name, tensor in self._state.buffers.tensors().items()
        }
        self._send(mirror, protocol.DESCRIBE, meta, step=step, tensors=tensors)
        mirror.described = True

    def _copy(self, mirror: _Progress, step: int) -> None:
        left = [name for name in self._names if name not in mirror.copied]
        order = copy_order(self._candidate(name) for name in left)
        share = next_slice(order, budget_bytes=self._pace.budget_nbytes())
        chosen = {candidate.name for candidate in share}
        specs = tuple(spec for spec in self._state.unit_specs() if spec.name in chosen)
        tensors = self._state.unit_tensors(list(chosen))
        begun_s = time.monotonic()
        self._send(mirror, protocol.UNITS, protocol.Units(units=specs), step=step, tensors=tensors)
        nbytes = sum(candidate.nbytes for candidate in share)
        self._pace.copied(nbytes, took_s=time.monotonic() - begun_s)
        mirror.copied |= chosen
        mirror.unanswered = step

    def _send_gradients(self, mirror: _Progress, step: int) -> None:
        tensors = {
            name: tensor
            for name, tensor in self._sent.items()
            if not name.startswith(protocol.gradient_name(""))
            or name.removeprefix(protocol.gradient_name("")) in mirror.copied
        }
        meta = msgspec.structs.replace(self._gradients, awaited=mirror.complete)
        self._send(mirror, protocol.GRADIENTS, meta, step=step, tensors=tensors)

    def _await_gradients(self, mirror: _Progress, step: int) -> None:
        for _ in range(_RESENDS_MAX + 1):
            receipt = mirror.link.receipt(protocol.GRADIENTS, step=step)
            if receipt is None or not receipt.tensors:
                return
            self._report("gradient", mirror, step=step, tensors=receipt.tensors)
            self._send_gradients(mirror, step)
        mirror.link.drop(f"gradients of step {step} arrived damaged {_RESENDS_MAX + 1} times")

    def _take_receipts(self, mirror: _Progress) -> None:
        step = mirror.unanswered
        receipt = None if step is None else mirror.link.arrived(protocol.UNITS, step=step)
        if step is not None and receipt is not None:
            mirror.unanswered = None
            mirror.complete = receipt.complete
            if receipt.tensors:
                self._differs("copy", mirror, step=step, tensors=receipt.tensors)
        for version, tensors in mirror.link.differing():
            self._differs("mirror", mirror, step=version, tensors=tensors)

    def _differs(
        self, where: Where, mirror: _Progress, *, step: int, tensors: tuple[str, ...]
    ) -> None:
        self._report(where, mirror, step=step, tensors=tensors)
        mirror.start_over()
        mirror.recopies += 1
        if mirror.recopies > _RECOPIES_MAX:
            mirror.link.drop(f"its state differed {mirror.recopies} times: its memory is not sound")

    def _report(
        self, where: Where, mirror: _Progress, *, step: int, tensors: tuple[str, ...]
    ) -> None:
        self._reporter.corruption(where, step=step, tensors=tensors, mirror=mirror.link.member)

    def _candidate(self, name: str) -> CopyUnit:
        return CopyUnit(
            name=name,
            nbytes=sum(tensor.nbytes for tensor in self._state.unit_tensors([name]).values()),
            staleness_steps=None,
            gradient_magnitude=self._magnitudes.get(name),
        )

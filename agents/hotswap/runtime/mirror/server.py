"""Receives mirror links: a member's end of every rank that it mirrors."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import msgspec
import structlog
import torch

from hotswap.channel.handshake import accept_client
from hotswap.coordinator.core.mirror import MirrorCore, Verdict
from hotswap.errors import (
    CorruptSegment,
    FencedOff,
    HotswapError,
    LinkClosed,
    StateMismatch,
    TransferError,
    WireError,
)
from hotswap.runtime.mirror import protocol
from hotswap.runtime.mirror.slot import MirrorSlot
from hotswap.runtime.mirror.standstill import Standstill
from hotswap.transfer.buffers import DTYPES
from hotswap.transfer.bundle import (
    discard_segments,
    receive_header,
    receive_segments,
    send_bundle,
)
from hotswap.transfer.digest import root_digest
from hotswap.transfer.header import BundleHeader

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from torch import Tensor

    from hotswap.limits import Limits
    from hotswap.transfer.header import Segment
    from hotswap.wire.messages import Holding

_log = structlog.get_logger()

_META: dict[str, type[protocol.Meta]] = {
    protocol.DESCRIBE: protocol.Describe,
    protocol.UNITS: protocol.Units,
    protocol.GRADIENTS: protocol.Gradients,
    protocol.COMMIT: protocol.Commit,
    protocol.DIGESTS: protocol.Digests,
    protocol.HANDOVER: protocol.Handover,
}


class MirrorEvents(Protocol):
    """Who hears of what arrives; called from the threads of the links."""

    def mirrored(self, holding: Holding, *, received_nbytes: int) -> None:
        """A mirror became complete, or compared its digests with its owner's."""
        ...

    def compared(
        self, *, rank: int, step: int, swap: str, digest: str, tensors: tuple[str, ...]
    ) -> None:
        """A mirror has compared its digests; ``tensors`` differ."""
        ...

    def corrupted(self, *, rank: int, step: int, tensors: tuple[str, ...]) -> None:
        """Bits of a mirror changed at rest: ``tensors`` are not what they were."""
        ...

    def handed_over(self, *, rank: int, step: int, next_epoch: int) -> None:
        """The owner of ``rank`` says that this process owns it from version ``step`` on."""
        ...


class MirrorServer:
    """Listens for owners, and holds a slot for each rank."""

    def __init__(self, *, host: str, key: bytes, limits: Limits, events: MirrorEvents) -> None:
        """Listen on a free port of ``host``; nobody is let in before ``start``."""
        self._key = key
        self._limits = limits
        self._events = events
        self._slots: dict[int, MirrorSlot] = {}
        self._core_of: Callable[[int], MirrorCore] = lambda rank: MirrorCore(rank=rank)
        self.guard: AbstractContextManager[object] = threading.RLock()
        #: while a copy of this process becomes a rank's state
        self.standstill = Standstill(limit_s=limits.takeover_s)
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._closed = False
        self._listener = socket.create_server((host, 0))
        #: port that owners connect to
        self.port: int = self._listener.getsockname()[1]

    def start(
        self, *, core_of: Callable[[int], MirrorCore], guard: AbstractContextManager[object]
    ) -> None:
        """Let owners in; ``core_of`` gives the member's rules for a rank, under ``guard``."""
        self._core_of = core_of
        self.guard = guard
        threading.Thread(target=self._accept, name="hotswap-mirror-accept", daemon=True).start()

    def freeze(self, rank: int) -> None:
        """Let the copy of ``rank`` be as it is: it is about to be taken. Never waits.

        The other copies stand still until ``standstill`` is ended: what they would apply is held
        no less, and the newcomer needs the processor, and the interpreter, for itself.
        """
        slot = self.slot(rank)
        if slot is not None:
            self.standstill.begin()
            slot.freeze()

    def take(self, rank: int) -> MirrorSlot:
        """Give away the slot of ``rank``: this process is to own it."""
        with self._lock:
            return self._slots.pop(rank)

    def close(self) -> None:
        """Stop listening and end every link."""
        with self._lock:
            self._closed = True
            open_connections = list(self._connections)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in open_connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                connection, peer = self._listener.accept()
            except OSError:
                return
            threading.Thread(
                target=self._serve, args=(connection, peer), name="hotswap-mirror", daemon=True
            ).start()

    def _serve(self, connection: socket.socket, peer: tuple[str, int]) -> None:
        with connection:
            with self._lock:
                if self._closed:
                    return
                self._connections.add(connection)
            try:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                accept_client(
                    connection,
                    key=self._key,
                    purpose=protocol.PURPOSE,
                    timeout_s=self._limits.handshake_s,
                )
                _Receiver(connection, self, self._events, self._limits).run()
            except LinkClosed:
                pass
            except (WireError, HotswapError) as error:
                _log.warning("mirror_link_ended", peer=peer, code=error.code, detail=str(error))
            finally:
                with self._lock:
                    self._connections.discard(connection)

    def slot(self, rank: int) -> MirrorSlot | None:
        """Return the slot of ``rank``, if there is one."""
        with self._lock:
            return self._slots.get(rank)

    def describe(self, rank: int, *, epoch: int, version: int) -> MirrorCore:
        """Begin a new copy of ``rank``, and return what decides about its bundles.

        Raises:
            FencedOff: the rank has had an owner of a later epoch already.

        """
        with self.guard:
            core = self._core_of(rank)
            verdict = core.describe(epoch=epoch, version=version)
        if verdict is not Verdict.TAKE:
            message = f"epoch {epoch} of rank {rank} is over: its owner may not write here"
            raise FencedOff(message)
        return core

    def put(self, slot: MirrorSlot) -> None:
        """Hold ``slot`` in place of a former one of its rank."""
        with self._lock:
            self._slots[slot.rank] = slot

    def drop(self, rank: int) -> None:
        """Free the copy of ``rank``: another member mirrors it."""
        with self._lock:
            self._slots.pop(rank, None)


class _Receiver:
    """Carries out the bundles of one link, in order."""

    def __init__(
        self, connection: socket.socket, server: MirrorServer, events: MirrorEvents, limits: Limits
    ) -> None:
        self._connection = connection
        self._server = server
        self._events = events
        self._limits = limits
        self._slot: MirrorSlot | None = None
        self._received_nbytes = 0
        self._protecting = False

    def run(self) -> None:
        """Receive until the link ends; raises what ended it."""
        while True:
            header = receive_header(self._connection, limits=self._limits)
            self._received_nbytes += header.segments_nbytes
            meta = self._meta(header)
            if isinstance(meta, protocol.Describe):
                self._describe(header, meta)
                continue
            slot = self._described(header)
            if not slot.admits(header.epoch):
                # Of a dead epoch: what is pending here must not be overwritten.
                discard_segments(self._connection, header=header)
                continue
            damaged: tuple[str, ...] = ()
            tensors: dict[str, Tensor] = {}
            gradients = isinstance(meta, protocol.Gradients)
            into = slot.gradient_target() if gradients else _allocate
            try:
                tensors = receive_segments(self._connection, header=header, into=into)
            except CorruptSegment as error:
                damaged = tuple(error.tensors)
            self._carry_out(slot, header, meta, tensors, damaged)

    def _describe(self, header: BundleHeader, meta: protocol.Describe) -> None:
        tensors = receive_segments(self._connection, header=header, into=_allocate)
        core = self._server.describe(header.rank, epoch=header.epoch, version=header.step)
        self._slot = MirrorSlot(header.rank, meta, tensors, core=core, guard=self._server.guard)
        self._server.put(self._slot)

    def _meta(self, header: BundleHeader) -> protocol.Meta:
        try:
            return msgspec.msgpack.decode(header.meta, type=_META[header.kind])
        except (KeyError, msgspec.DecodeError) as error:
            message = f"a bundle {header.kind!r} can't be read: {error}"
            raise TransferError(message) from error

    def _described(self, header: BundleHeader) -> MirrorSlot:
        slot = self._slot
        if slot is None or slot is not self._server.slot(header.rank):
            message = f"{header.kind!r} of rank {header.rank}, which this link does not describe"
            raise TransferError(message)
        return slot

    def _carry_out(
        self,
        slot: MirrorSlot,
        header: BundleHeader,
        meta: protocol.Meta,
        tensors: dict[str, Tensor],
        damaged: tuple[str, ...],
    ) -> None:
        if damaged and not isinstance(meta, (protocol.Units, protocol.Gradients)):
            raise CorruptSegment(f"{header.kind!r} arrived damaged", tensors=damaged)
        match meta:
            case protocol.Units():
                self._units(slot, header, meta, tensors, damaged)
            case protocol.Gradients():
                if not damaged:
                    slot.hold(meta, epoch=header.epoch, step=header.step, tensors=tensors)
                self._answer(header, complete=slot.complete, tensors=damaged)
                self._protects(slot, awaited=meta.awaited and not damaged)
            case protocol.Commit():
                self._commit(slot, header, meta, tensors)
            case protocol.Digests():
                self._digests(slot, header, meta)
            case protocol.Handover():
                self._events.handed_over(
                    rank=header.rank, step=header.step, next_epoch=meta.next_epoch
                )
            case _:
                message = f"an owner does not send {header.kind!r}"
                raise TransferError(message)

    def _units(
        self,
        slot: MirrorSlot,
        header: BundleHeader,
        meta: protocol.Units,
        tensors: dict[str, Tensor],
        damaged: tuple[str, ...],
    ) -> None:
        names = slot.put_units(
            meta, epoch=header.epoch, version=header.step, tensors=tensors, damaged=damaged
        )
        self._answer(header, complete=slot.complete, tensors=names)

    def _protects(self, slot: MirrorSlot, *, awaited: bool) -> None:
        """Report the mirror once its owner waits for it: not before does it protect the rank."""
        holding = slot.holding()
        if awaited and not self._protecting and holding is not None:
            self._events.mirrored(holding, received_nbytes=self._received_nbytes)
        self._protecting = awaited

    def _commit(
        self,
        slot: MirrorSlot,
        header: BundleHeader,
        meta: protocol.Commit,
        tensors: dict[str, Tensor],
    ) -> None:
        self._server.standstill.wait_over()
        try:
            slot.commit(meta, epoch=header.epoch, step=header.step, tensors=tensors)
        except StateMismatch as error:
            self._events.corrupted(rank=slot.rank, step=header.step, tensors=tuple(error.tensors))
            raise

    def _digests(self, slot: MirrorSlot, header: BundleHeader, meta: protocol.Digests) -> None:
        names, digests = slot.compare(meta.digests, version=header.step)
        self._answer(header, complete=slot.complete, tensors=names)
        holding = slot.holding()
        if holding is not None:
            self._events.mirrored(holding, received_nbytes=self._received_nbytes)
        self._events.compared(
            rank=header.rank,
            step=header.step,
            swap=meta.swap,
            digest=root_digest(digests),
            tensors=names,
        )

    def _answer(self, header: BundleHeader, *, complete: bool, tensors: tuple[str, ...]) -> None:
        meta = protocol.Receipt(of=header.kind, complete=complete, tensors=tensors)
        answer = BundleHeader(
            kind=protocol.RECEIPT,
            epoch=header.epoch,
            step=header.step,
            rank=header.rank,
            token=header.token,
            meta=msgspec.msgpack.encode(meta),
        )
        send_bundle(self._connection, header=answer, tensors={}, limits=self._limits)


def _allocate(segment: Segment) -> Tensor:
    """Return new memory for a segment."""
    return torch.empty(segment.shape, dtype=DTYPES[segment.dtype])

"""The owner's end of a mirror link."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from hotswap.errors import TransferError
from hotswap.runtime.mirror.protocol import DIGESTS, RECEIPT, Receipt
from hotswap.transfer.bundle import receive_header, send_bundle
from hotswap.transfer.header import BundleHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch import Tensor

    from hotswap.limits import Limits

#: Receipts that were never asked about are dropped beyond this many: a mirror sends one per bundle.
_RECEIPTS_MAX = 1024


class MirrorLink:
    """Sends bundles to one mirror and collects its receipts.

    One thread sends and waits; any thread may ``drop``. After ``drop``, or when the mirror went
    away, ``lost`` says why, ``send`` does nothing and ``receipt`` returns None at once.
    """

    def __init__(
        self,
        *,
        member: str,
        rank: int,
        connection: socket.socket,
        limits: Limits,
        on_lost: Callable[[MirrorLink], None],
    ) -> None:
        """Use ``connection``, which has passed the handshake, to mirror ``rank`` at ``member``."""
        self.member = member
        self.rank = rank
        #: why the link is of no more use; None while it is
        self.lost: str | None = None
        #: bytes sent so far
        self.sent_nbytes = 0
        self._connection = connection
        self._limits = limits
        self._on_lost = on_lost
        self._receipts: dict[tuple[str, int], Receipt] = {}
        self._changed = threading.Condition()
        _limit_sends(connection, limits.mirror_ack_s)
        self._reader = threading.Thread(
            target=self._read, name=f"hotswap-receipts-{member}", daemon=True
        )
        self._reader.start()

    def send(
        self,
        kind: str,
        meta: msgspec.Struct,
        *,
        step: int,
        epoch: int,
        token: int,
        tensors: Mapping[str, Tensor] | None = None,
    ) -> None:
        """Send one bundle; a failure drops the link and is not raised."""
        if self.lost is not None:
            return
        header = BundleHeader(
            kind=kind,
            epoch=epoch,
            step=step,
            rank=self.rank,
            token=token,
            meta=msgspec.msgpack.encode(meta),
        )
        with self._changed:
            self._receipts.pop((kind, step), None)
        try:
            self.sent_nbytes += send_bundle(
                self._connection, header=header, tensors=tensors or {}, limits=self._limits
            )
        except TransferError as error:
            self.drop(f"sending {kind} of step {step} failed: {error}")

    def receipt(self, kind: str, *, step: int) -> Receipt | None:
        """Wait for the receipt of a bundle; None when the link is lost or ``mirror_ack_s`` passed.

        A mirror that is late is dropped: it must not hold the job up twice.
        """
        deadline_s = time.monotonic() + self._limits.mirror_ack_s
        with self._changed:
            while (kind, step) not in self._receipts and self.lost is None:
                left_s = deadline_s - time.monotonic()
                if left_s <= 0:
                    break
                self._changed.wait(left_s)
            found = self._receipts.pop((kind, step), None)
        if found is None:
            limit_s = self._limits.mirror_ack_s
            self.drop(f"no receipt for {kind} of step {step} within mirror_ack_s = {limit_s} s")
        return found

    def arrived(self, kind: str, *, step: int) -> Receipt | None:
        """Return the receipt of a bundle if it has come already; never waits."""
        with self._changed:
            return self._receipts.pop((kind, step), None)

    def differing(self) -> list[tuple[int, tuple[str, ...]]]:
        """Take the comparisons that have come: versions at which tensors differ, and which."""
        with self._changed:
            compared = [key for key in self._receipts if key[0] == DIGESTS]
            receipts = {step: self._receipts.pop((kind, step)) for kind, step in compared}
        return [(step, receipt.tensors) for step, receipt in receipts.items() if receipt.tensors]

    def drop(self, reason: str) -> None:
        """Give the link up: the job goes on without this mirror. Any thread; never waits."""
        with self._changed:
            if self.lost is not None:
                return
            self.lost = reason
            self._changed.notify_all()
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._on_lost(self)

    def close(self) -> None:
        """Free socket and thread; after ``drop`` or at the end of the job."""
        self.drop("closed")
        if self._reader is not threading.current_thread():
            self._reader.join(self._limits.mirror_ack_s)
        self._connection.close()

    def _read(self) -> None:
        try:
            while True:
                self._take(receive_header(self._connection, limits=self._limits))
        except TransferError as error:
            self.drop(f"the mirror went away: {error}")
        except msgspec.DecodeError as error:
            self.drop(f"the mirror sent a receipt that can't be read: {error}")

    def _take(self, header: BundleHeader) -> None:
        if header.kind != RECEIPT or header.segments:
            self.drop(f"the mirror sent {header.kind!r} where a receipt was due")
            return
        receipt = msgspec.msgpack.decode(header.meta, type=Receipt)
        with self._changed:
            if len(self._receipts) >= _RECEIPTS_MAX:
                self._receipts.pop(next(iter(self._receipts)))
            self._receipts[receipt.of, header.step] = receipt
            self._changed.notify_all()


def _limit_sends(connection: socket.socket, limit_s: float) -> None:
    """Bound each wait of a sender, and none of the reader: a mirror may have nothing to say.

    A Python time-out would bound both, since it belongs to the socket and not to a direction.
    """
    seconds, fraction = divmod(limit_s, 1)
    connection.settimeout(None)
    connection.setsockopt(
        socket.SOL_SOCKET,
        socket.SO_SNDTIMEO,
        struct.pack("@ll", int(seconds), int(fraction * 1_000_000)),
    )
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

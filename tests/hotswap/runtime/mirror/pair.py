"""An owner and its mirror in one process, on a real socket; and a proxy that flips bits."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from hotswap.channel.handshake import prove_client
from hotswap.coordinator.core.mirror import MirrorCore
from hotswap.limits import Limits
from hotswap.runtime.capsule.state import RankState
from hotswap.runtime.mirror.link import MirrorLink
from hotswap.runtime.mirror.protocol import PURPOSE
from hotswap.runtime.mirror.replication import Replication
from hotswap.runtime.mirror.server import MirrorServer
from hotswap.transfer.header import PREFIX_NBYTES, decode_header, decode_prefix
from hotswap.wire.frames import HEADER

if TYPE_CHECKING:
    from collections.abc import Callable

    from hotswap.wire.messages import Holding

KEY = b"k" * 32
LIMITS = Limits(mirror_ack_s=5.0, copy_slice_nbytes=3_000)


@dataclass
class Heard:
    """Everything that owner and mirror report; implements both of their ports."""

    holdings: list[Holding] = field(default_factory=list)
    compared_at: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    differing: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    handovers: list[tuple[int, int, int]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    something: threading.Condition = field(default_factory=threading.Condition)

    def _note(self, kept: list[Any], what: object) -> None:
        with self.something:
            kept.append(what)
            self.something.notify_all()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until ``condition`` holds; it is looked at whenever something is heard."""
        with self.something:
            assert self.something.wait_for(condition, timeout=10)

    def mirrored(self, holding: Holding, *, received_nbytes: int) -> None:
        assert received_nbytes > 0
        self._note(self.holdings, holding)

    def compared(
        self, *, rank: int, step: int, swap: str, digest: str, tensors: tuple[str, ...]
    ) -> None:
        del rank, swap, digest
        self._note(self.compared_at, (step, tensors))

    def corrupted(self, *, rank: int, step: int, tensors: tuple[str, ...]) -> None:
        del rank, step
        self._note(self.differing, ("rest", tensors))

    def handed_over(self, *, rank: int, step: int, next_epoch: int) -> None:
        self._note(self.handovers, (rank, step, next_epoch))

    def corruption(self, where: str, *, step: int, tensors: tuple[str, ...], mirror: str) -> None:
        del step, mirror
        self._note(self.differing, (where, tensors))


class FlippingProxy:
    """Forwards one connection, and flips a bit in the tensors of a bundle when told to."""

    def __init__(self, target_port: int) -> None:
        """Listen in front of ``target_port``."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._target_port = target_port
        #: kinds of the bundles to damage next, one bundle for each
        self.damages: list[str] = []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        near, _ = self._listener.accept()
        with near, socket.create_connection(("127.0.0.1", self._target_port)) as far:
            back = threading.Thread(target=self._return, args=(far, near), daemon=True)
            back.start()
            with suppress(OSError, EOFError):
                while True:
                    self._forward(near, far)
            with suppress(OSError):
                far.shutdown(socket.SHUT_WR)
            back.join(10)

    def _return(self, far: socket.socket, near: socket.socket) -> None:
        with suppress(OSError):
            while data := far.recv(1 << 16):
                near.sendall(data)
        with suppress(OSError):
            near.shutdown(socket.SHUT_RDWR)

    def _forward(self, near: socket.socket, far: socket.socket) -> None:
        start = _exactly(near, HEADER.size)
        if start.startswith(b"HSWP"):  # a frame of the handshake
            far.sendall(start + _exactly(near, HEADER.unpack(start)[3]))
            return
        prefix = start + _exactly(near, PREFIX_NBYTES - HEADER.size)
        nbytes, checksum = decode_prefix(prefix, limits=LIMITS)
        encoded = _exactly(near, nbytes)
        header = decode_header(bytearray(encoded), header_checksum=checksum, limits=LIMITS)
        body = bytearray(_exactly(near, header.segments_nbytes))
        if body and header.kind in self.damages:
            self.damages.remove(header.kind)
            body[len(body) // 2] ^= 0x10
        far.sendall(prefix + encoded + body)

    def close(self) -> None:
        """Stop listening."""
        self._listener.close()


def _exactly(source: socket.socket, nbytes: int) -> bytes:
    data = b""
    while len(data) < nbytes:
        part = source.recv(nbytes - len(data))
        if not part:
            raise EOFError
        data += part
    return data


class Pair:
    """An owner of rank 3 and its mirror."""

    def __init__(self, *, through_proxy: bool = False, limits: Limits = LIMITS) -> None:
        """Connect a small model with batch normalisation to a mirror."""
        torch.manual_seed(1)
        self.limits = limits
        self.heard = Heard()
        self.cores: dict[int, MirrorCore] = {}
        self.guard = threading.RLock()
        self.server = MirrorServer(host="127.0.0.1", key=KEY, limits=limits, events=self.heard)
        self.server.start(
            core_of=lambda rank: self.cores.setdefault(rank, MirrorCore(rank=rank)),
            guard=self.guard,
        )
        self.epoch = 1
        self.state = build_state(limits)
        self.replication = Replication(
            owner="node-3",
            state=self.state,
            limits=limits,
            stamp=lambda: (self.epoch, 1),
            reporter=self.heard,
        )
        self.proxy = FlippingProxy(self.server.port) if through_proxy else None
        self.link = self.connect(self.proxy.port if self.proxy else self.server.port)
        self.replication.add(self.link)

    def connect(self, port: int) -> MirrorLink:
        """Open a link as an owner does."""
        connection = socket.create_connection(("127.0.0.1", port))
        prove_client(connection, key=KEY, purpose=PURPOSE, name="node-3", timeout_s=5)
        return MirrorLink(
            member="standby-0",
            rank=3,
            connection=connection,
            limits=self.limits,
            on_lost=lambda link: self.heard._note(self.heard.lost, link.lost or ""),
        )

    def compute(self) -> None:
        """Run forward and backward of the next step."""
        self.state.begin_step()
        torch.manual_seed(100 + self.state.version)
        self.state.model(torch.randn(8, 12)).square().mean().backward()

    def step(self) -> tuple[str, ...]:
        """Run a whole step; return who acknowledged it."""
        step = self.state.version
        self.replication.boundary(step)
        self.compute()
        self.replication.replicate(step, skip=False)
        acknowledged = self.replication.acknowledged(step)
        self.state.apply()
        self.replication.commit(step)
        return acknowledged

    def protect(self) -> None:
        """Run steps until the mirror holds everything: its threads decide how many."""
        deadline_s = time.monotonic() + 20
        while time.monotonic() < deadline_s:
            if self.step():
                return
        raise AssertionError(f"not protected: {self.heard}")

    def close(self) -> None:
        """Free both ends."""
        self.replication.close()
        self.server.close()
        if self.proxy:
            self.proxy.close()


def build_state(limits: Limits) -> RankState:
    """Build what the script would: deterministic, so that a newcomer builds the same."""
    torch.manual_seed(7)
    model = nn.Sequential(
        nn.Linear(12, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 16), nn.Linear(16, 4)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
    return RankState(model=model, optimizer=optimizer, scheduler=scheduler, limits=limits)

"""A member without torch: the real member core behind a real connection; tensors are imagined.

The state of a rank after k steps is the pair (rank, k), so its digest can be computed anywhere.
"""

import asyncio
import hashlib
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal, Protocol

from hotswap.channel.addresses import Address, known_addresses, latest_leader
from hotswap.coordinator.core import member_effects as effects
from hotswap.coordinator.core.member import MemberCore
from hotswap.coordinator.core.member_effects import MemberEffect
from hotswap.coordinator.core.member_values import Identity
from hotswap.coordinator.core.mirror import Verdict
from hotswap.errors import WireError
from hotswap.limits import Limits
from hotswap.wire.messages import (
    Committed,
    Endpoint,
    FromCoordinator,
    Message,
    MirrorReport,
    Refused,
    Verified,
    Welcome,
)
from tests.hotswap.coordinator.scripted import JOB, Scripted, connected

#: Between two attempts to find a leader, s.
RETRY_S = 0.01


Kind = Literal["owner", "mirror"]


def digest(rank: int, version: int) -> str:
    """Return the digest of a rank's imagined state."""
    return hashlib.sha256(f"{rank} after {version}".encode()).hexdigest()


class Others(Protocol):
    """The members that this one can reach: over mirror links, in a real job."""

    def member(self, name: str) -> "FakeMember | None":
        """Return a living member."""


class FakeMember:
    """One process of a job."""

    def __init__(
        self,
        name: str,
        *,
        others: Others,
        job_directory: Path,
        limits: Limits,
        wanted_rank: int | None = None,
        torch_version: str = "2.13.0",
    ) -> None:
        self.core = MemberCore(
            identity=Identity(
                job=JOB,
                name=name,
                pid=1,
                endpoint=Endpoint(host="127.0.0.1", store_port=1, mirror_port=2),
                wanted_rank=wanted_rank,
                torch_version=torch_version,
            )
        )
        self.name = name
        self.left: effects.Leave | None = None
        self.refused: list[Refused] = []
        #: leaders that have welcomed this member: their tokens
        self.welcomes: list[int] = []
        self._others = others
        self._job_directory = job_directory
        self._limits = limits
        self._connection: Scripted | None = None
        self._mirrors: tuple[str, ...] = ()
        self._task = asyncio.create_task(self._run())

    @property
    def gone(self) -> bool:
        return self._task.done()

    async def kill(self) -> None:
        """End without a word, as a process does that is killed."""
        self._task.cancel()
        if self._connection is not None:
            self._connection.writer.transport.abort()
        await asyncio.gather(self._task, return_exceptions=True)

    # --------------------------------------------------------------------------------- training

    def compute(self) -> None:
        """Compute the gradients of a step and hand them to the mirrors."""
        rank, step = self.core.rank, self.core.committed
        assert rank is not None
        holders = set()
        for name in self._mirrors:
            mirror = self._others.member(name)
            if mirror is not None:
                verdict = mirror.core.mirror(rank).gradients(epoch=self.core.epoch, step=step)
                if verdict is Verdict.TAKE:
                    holders.add(name)
        self.core.gradients_acknowledged(step=step, mirrors=frozenset(holders))

    def finish_step(self, *, epoch: int, ready: bool, next_epoch: int) -> None:
        """Take the result of a vote and go on to the next step."""
        step = self.core.committed
        self.carry_out(
            self.core.on_vote(
                epoch=epoch, ready=ready, next_epoch=next_epoch, ended_s=time.monotonic()
            )
        )
        if self.core.committed == step + 1 and self.core.rank is not None:
            loss = 1.0 / (step + 1)
            self.send(Committed(epoch=epoch, rank=self.core.rank, step=step, loss=loss, samples=8))
        switch = self.core.at_boundary()
        self.carry_out(switch)
        if switch:
            self._resume()

    def lose_peer(self, epoch: int) -> None:
        """Notice that a collective has failed."""
        self.carry_out(self.core.peer_lost(epoch=epoch, detail="connection reset by peer"))

    # --------------------------------------------------------------------------------- effects

    def carry_out(self, todo: list[MemberEffect]) -> None:
        for effect in todo:
            self._carry_out(effect)

    def _carry_out(self, effect: MemberEffect) -> None:
        match effect:
            case effects.Send():
                self.send(effect.message)
            case effects.Bind():
                self.carry_out(self.core.bound(effect.epoch))
                if not effect.background:
                    self._resume()
            case effects.Switch():
                self._resume()
            case effects.PrepareRole():
                self.carry_out(self.core.prepared(effect.rank))
            case effects.Restore():
                self.core.restored(self.core.epoch)
            case effects.Leave():
                self.left = effect
            case _:
                self._concern_mirrors(effect)

    def _concern_mirrors(self, effect: MemberEffect) -> None:
        rank, version = self.core.rank, self.core.committed
        match effect:
            case effects.LinkMirrors():
                self._mirrors = tuple(line.member for line in effect.mirrors)
                self._copy()
            case effects.CommitMirrors() if rank is not None:
                for mirror in self._mirror_members():
                    mirror.core.mirror(rank).commit(epoch=effect.epoch, step=effect.step)
            case effects.HandOver():
                self._hand_over(effect)
            case effects.BecomeOwner() if effect.swap:
                self.verify("mirror", effect.swap, rank=effect.rank, step=effect.version)
            case effects.Retire() if rank is not None:
                self.verify("owner", effect.swap, rank=rank, step=version)
            case effects.DigestState():
                self.verify("owner", effect.swap, rank=effect.rank, step=version)
                for mirror in self._mirror_members():
                    mirror.verify("mirror", effect.swap, rank=effect.rank, step=version)

    def _hand_over(self, effect: effects.HandOver) -> None:
        target = self._others.member(effect.target)
        if target is not None:
            # It owns the rank now, and applies the step itself.
            self._mirrors = tuple(name for name in self._mirrors if name != effect.target)
            done = target.core.on_handover(
                rank=effect.rank, epoch=effect.epoch, version=effect.version
            )
            target.carry_out(done)

    def send(self, message: Message) -> None:
        if self._connection is not None:
            self._connection.send(message)

    def _resume(self) -> None:
        self.carry_out(self.core.resumed(epoch=self.core.epoch, at_s=time.monotonic()))

    def _mirror_members(self) -> list["FakeMember"]:
        found = (self._others.member(name) for name in self._mirrors)
        return [mirror for mirror in found if mirror is not None]

    def _copy(self) -> None:
        """Copy the state to mirrors that don't hold it yet."""
        rank, epoch = self.core.rank, self.core.epoch
        if rank is None or not self.core.running:
            return
        for mirror in self._mirror_members():
            copy = mirror.core.mirror(rank)
            if not (copy.complete and copy.version == self.core.committed):
                copy.describe(epoch=epoch, version=self.core.committed)
                copy.copied(epoch=epoch, complete=True)
            holding = copy.holding()
            if holding is not None:
                mirror.send(MirrorReport(holding=holding, lag_steps=0))

    def verify(self, kind: Kind, swap: str, *, rank: int, step: int) -> None:
        """Report the digest of a state."""
        self.send(Verified(swap=swap, rank=rank, step=step, kind=kind, digest=digest(rank, step)))

    # ----------------------------------------------------------------------------- connection

    async def _run(self) -> None:
        while self.left is None:
            for address in known_addresses(self._job_directory):
                with suppress(WireError, OSError):
                    await self._serve(address)
            await asyncio.sleep(RETRY_S)

    async def _serve(self, address: Address) -> None:
        """Talk to one coordinator until the connection ends."""
        async with connected(address.port, name=self.name, limits=self._limits) as connection:
            connection.send(self.core.hello())
            self._connection = connection
            try:
                answer = await connection.next()
                if isinstance(answer, Refused) and answer.code == "not_leader":
                    return
                self._obey(answer)
                if isinstance(answer, Welcome):
                    await self._follow(connection)
            finally:
                self._connection = None

    async def _follow(self, connection: Scripted) -> None:
        pulse = asyncio.create_task(self._pulse(connection))
        try:
            while self.left is None:
                self._obey(await connection.next())
        finally:
            pulse.cancel()

    def _obey(self, message: FromCoordinator) -> None:
        if isinstance(message, Welcome):
            self.welcomes.append(message.token)
        if isinstance(message, Refused):
            self.refused.append(message)
        self.carry_out(self.core.on_command(message))

    async def _pulse(self, connection: Scripted) -> None:
        while True:
            connection.send(self.core.heartbeat())
            leader = latest_leader(self._job_directory)
            if leader is not None and leader.token > self.welcomes[-1]:
                # its own leader may be frozen, where the connection shows nothing
                connection.writer.transport.abort()
                return
            await asyncio.sleep(self._limits.heartbeat_s)

"""A job without torch: fake members that train together, and somebody who watches."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from hotswap.channel.addresses import known_addresses
from hotswap.limits import Limits
from hotswap.wire.messages import Finished, Notice, Refused, Shutdown, Status, StatusRequest
from tests.hotswap.coordinator.fake_member import RETRY_S, FakeMember
from tests.hotswap.coordinator.scripted import WAIT_S, Scripted, connected, hello

#: Between two steps, s: enough for the coordinator to get a word in.
STEP_S = 0.002


async def until(condition: Callable[[], bool]) -> None:
    """Look again and again, at the pace of the fake training, until ``condition`` holds."""
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 - there is no one event that could be waited for
            await asyncio.sleep(STEP_S)


class FakeCluster:
    """The members of one job. Steps are taken only while a test waits for something."""

    def __init__(self, job_directory: Path, *, limits: Limits) -> None:
        self.job_directory = job_directory
        self.limits = limits
        self.members: dict[str, FakeMember] = {}
        self._noticed: set[int] = set()

    def start(self, name: str, *, rank: int | None = None, torch: str = "2.13.0") -> FakeMember:
        member = FakeMember(
            name,
            others=self,
            job_directory=self.job_directory,
            limits=self.limits,
            wanted_rank=rank,
            torch_version=torch,
        )
        self.members[name] = member
        return member

    def start_all(self, *, ranks: int, standbys: int) -> None:
        for rank in range(ranks):
            self.start(f"node-{rank}", rank=rank)
        for number in range(standbys):
            self.start(f"standby-{number}")

    def member(self, name: str) -> FakeMember | None:
        member = self.members.get(name)
        return None if member is None or member.gone else member

    async def kill(self, name: str) -> None:
        await self.members[name].kill()

    async def close(self) -> None:
        for member in self.members.values():
            await member.kill()

    # --------------------------------------------------------------------------------- training

    @property
    def owners(self) -> dict[int, FakeMember]:
        """Members that work, by rank."""
        return {
            member.core.rank: member
            for member in self.members.values()
            if member.core.running and member.core.rank is not None and not member.gone
        }

    def committed(self) -> list[int]:
        return [owner.core.committed for owner in self.owners.values()]

    def step(self, world_size: int) -> None:
        """Let all ranks take one step, if all of them are there; else let them notice it."""
        owners = self.owners
        epochs = {owner.core.epoch for owner in owners.values()}
        if len(owners) == world_size and len(epochs) == 1:
            self._take_step(list(owners.values()))
        elif owners:
            epoch = max(epochs)
            dead = [
                member
                for member in self.members.values()
                if member.gone and member.core.running and member.core.epoch == epoch
            ]
            if dead and epoch not in self._noticed:
                self._noticed.add(epoch)
                for owner in owners.values():
                    owner.lose_peer(epoch)

    def _take_step(self, owners: list[FakeMember]) -> None:
        for owner in owners:
            owner.compute()
        cast = [ballot for owner in owners if (ballot := owner.core.ballot()) is not None]
        if len(cast) != len(owners):
            return
        for owner in owners:
            owner.finish_step(
                epoch=cast[0].epoch,
                ready=min(ballot.ready for ballot in cast),
                next_epoch=min(ballot.next_epoch for ballot in cast),
            )

    def finish(self) -> None:
        """Let every owner say that the script has ended, as behind a last barrier."""
        for owner in self.owners.values():
            owner.send(Finished(epoch=owner.core.epoch, committed=owner.core.committed))

    async def train_until(self, condition: Callable[[], bool], *, ranks: int) -> None:
        """Take steps until ``condition`` holds."""

        def take_a_step_unless() -> bool:
            if condition():
                return True
            self.step(ranks)
            return False

        await until(take_a_step_unless)


class Watcher:
    """An operator that remembers what it is told."""

    def __init__(self, connection: Scripted) -> None:
        self.connection = connection
        self.notices: list[Notice] = []
        self.refused: list[Refused] = []
        self.statuses: list[Status] = []
        self.ended: list[Shutdown] = []
        self._task = asyncio.create_task(self._listen())

    def kinds(self) -> list[str]:
        return [notice.kind for notice in self.notices]

    def first(self, kind: str) -> Notice | None:
        return next((notice for notice in self.notices if notice.kind == kind), None)

    async def status(self) -> Status:
        known = len(self.statuses)
        self.connection.send(StatusRequest())
        await until(lambda: len(self.statuses) > known)
        return self.statuses[-1]

    async def _listen(self) -> None:
        while True:
            message = await self.connection.next()
            match message:
                case Notice():
                    self.notices.append(message)
                case Refused():
                    self.refused.append(message)
                case Status():
                    self.statuses.append(message)
                case Shutdown():
                    self.ended.append(message)

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


@asynccontextmanager
async def watching(
    job_directory: Path, *, limits: Limits, role: str = "operator", name: str = "operator-1"
) -> AsyncIterator[Watcher]:
    """Connect to whoever leads, as soon as somebody does."""
    async with asyncio.timeout(WAIT_S):
        port = await _leading_port(job_directory, name=name, role=role, limits=limits)
    async with connected(port, name=name, limits=limits) as connection:
        connection.send(hello(name, role=role))
        watcher = Watcher(connection)
        try:
            yield watcher
        finally:
            await watcher.close()


async def _leading_port(job_directory: Path, *, name: str, role: str, limits: Limits) -> int:
    while True:
        for address in known_addresses(job_directory):
            try:
                async with connected(address.port, name=name, limits=limits) as connection:
                    connection.send(hello(name, role=role))
                    if not isinstance(await connection.next(), Refused):
                        return address.port
            except OSError:
                continue
        await asyncio.sleep(RETRY_S)

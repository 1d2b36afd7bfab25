"""The launcher's line to the leader: no exit is forgotten, whoever leads."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hotswap.limits import Limits
from hotswap.node.job_directory import JobDirectory, claim
from hotswap.node.leader import Caller
from hotswap.node.leader_link import LeaderLink, Told
from hotswap.wire.messages import (
    Hello,
    Message,
    Notice,
    ProcessExited,
    Refused,
    Shutdown,
    Status,
    StatusRequest,
    ToCoordinator,
)
from tests.hotswap.node.fake_coordinator import FakeCoordinator

LIMITS = Limits(reconnect_s=0.01, status_every_s=0.05, answer_s=1.0)
LOST = ProcessExited(name="node-1", status=-9)
STATUS = Status(
    job="gpt",
    leader="coordinator-0",
    token=1,
    phase="running",
    epoch=1,
    committed=7,
    world_size=2,
    ranks=(),
    standbys=(),
)


def reporting(message: ToCoordinator) -> Iterable[Message]:
    return (STATUS,) if isinstance(message, StatusRequest) else ()


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[JobDirectory]:
    claimed = claim(jobs=tmp_path, name="gpt", stem="gpt")
    yield claimed.directory
    claimed.release()


@asynccontextmanager
async def linked(
    directory: JobDirectory,
    on_message: Callable[[Told], None] = lambda _: None,
    *,
    limits: Limits = LIMITS,
) -> AsyncIterator[LeaderLink]:
    """Run a link for as long as the block lasts."""
    caller = Caller(
        job="gpt",
        directory=directory.path,
        key=directory.read_key(),
        role="supervisor",
        name="supervisor-1",
    )
    link = LeaderLink(caller=caller, limits=limits, on_message=on_message)
    task = asyncio.create_task(link.run())
    try:
        yield link
    finally:
        task.cancel()
        await asyncio.wait([task], timeout=20.0)


async def heard(fake: FakeCoordinator, kind: type[Message], count: int = 1) -> list[ToCoordinator]:
    """Wait for messages without holding up the link, which lives in this loop."""
    return await asyncio.to_thread(fake.wait_for, kind=kind, count=count)


async def test_an_exit_is_told_to_the_leader_at_once(directory: JobDirectory) -> None:
    with FakeCoordinator(directory.path, key=directory.read_key(), answers=reporting) as fake:
        async with linked(directory) as link:
            (hello,) = await heard(fake, Hello)
            assert isinstance(hello, Hello)
            assert hello.role == "supervisor"
            await heard(fake, StatusRequest)
            link.report(LOST)
            assert await heard(fake, ProcessExited) == [LOST]


async def test_an_exit_while_nobody_leads_is_told_to_the_next_leader(
    directory: JobDirectory,
) -> None:
    async with linked(directory) as link:
        link.report(LOST)
        with FakeCoordinator(directory.path, key=directory.read_key()) as fake:
            assert await heard(fake, ProcessExited) == [LOST]


async def test_every_new_leader_hears_of_every_exit(directory: JobDirectory) -> None:
    key = directory.read_key()
    second_lost = ProcessExited(name="node-0", status=1)
    async with linked(directory) as link:
        with FakeCoordinator(directory.path, key=key) as first:
            link.report(LOST)
            link.report(second_lost)
            await heard(first, ProcessExited, 2)
        with FakeCoordinator(directory.path, key=key, name="coordinator-1", token=2) as second:
            assert await heard(second, ProcessExited, 2) == [LOST, second_lost]


async def test_how_the_job_stands_and_that_it_is_over_is_told(directory: JobDirectory) -> None:
    told: list[Told] = []
    complete = asyncio.Event()
    notice = Notice(kind="committed", epoch=1, step=3)
    over = Shutdown(token=1, ok=True, reason="every step is done")

    def take(message: Told) -> None:
        told.append(message)
        if message == over:
            complete.set()

    with FakeCoordinator(directory.path, key=directory.read_key(), answers=reporting) as fake:
        async with linked(directory, take):
            await heard(fake, StatusRequest)
            for message in (notice, over):
                fake.push(message)
            async with asyncio.timeout(20.0):
                await complete.wait()
    assert STATUS in told
    assert [message for message in told if message != STATUS] == [over]


async def test_a_leader_that_is_frozen_is_left_for_the_next(directory: JobDirectory) -> None:
    key = directory.read_key()
    with (
        FakeCoordinator(directory.path, key=key) as frozen,  # it never answers
        FakeCoordinator(directory.path, key=key, name="coordinator-1", leader=str(frozen.address)),
    ):
        async with linked(directory):
            await heard(frozen, Hello, 2)


async def test_a_frozen_leader_is_left_as_soon_as_another_one_leads(
    directory: JobDirectory,
) -> None:
    key = directory.read_key()
    patient = Limits(reconnect_s=0.01, status_every_s=0.05, answer_s=20.0)
    with FakeCoordinator(directory.path, key=key) as frozen:  # it never answers
        async with linked(directory, limits=patient):
            await heard(frozen, Hello)
            with FakeCoordinator(directory.path, key=key, name="coordinator-1", token=2) as next_:
                await heard(next_, Hello)


async def test_a_stale_leaders_refusal_does_not_end_the_search(directory: JobDirectory) -> None:
    key = directory.read_key()
    refusal = Refused(code="fenced", detail="you are unknown here")
    async with linked(directory) as link:
        link.report(LOST)
        with FakeCoordinator(directory.path, key=key, refusal=refusal) as stale:
            await heard(stale, Hello, 2)
        with FakeCoordinator(directory.path, key=key, name="coordinator-1") as fake:
            assert await heard(fake, ProcessExited) == [LOST]

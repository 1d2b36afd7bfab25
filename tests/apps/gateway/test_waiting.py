"""Who waits for a command hears of it, however the looks fall."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from apps.gateway.bells import ClockBell
from apps.gateway.waiting import Waiting

N1, N2 = UUID(int=1), UUID(int=2)
WAIT_S = 5.0


class HandBell:
    """Rings when a test says so."""

    def __init__(self) -> None:
        self.due: asyncio.Queue[None] = asyncio.Queue(maxsize=10)

    async def rings(self) -> AsyncIterator[None]:
        while True:
            await self.due.get()
            yield


class World:
    """A gateway's waiting, with commands that a test queues."""

    def __init__(self) -> None:
        self.new: set[UUID] = set()
        self.looks = 0
        self.bell = HandBell()
        self.waiting = Waiting(look=self.look, bell=self.bell)

    async def look(self) -> frozenset[UUID]:
        self.looks += 1
        await asyncio.sleep(0)
        return frozenset(self.new)

    def queue(self, node_id: UUID) -> None:
        self.new.add(node_id)
        self.bell.due.put_nowait(None)


@pytest.fixture(name="world")
async def _world() -> AsyncIterator[World]:
    world = World()
    task = asyncio.create_task(world.waiting.run())
    yield world
    task.cancel()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_whoever_waits_is_woken_and_nobody_else(world: World) -> None:
    with world.waiting.interest() as ticket:
        first = asyncio.create_task(world.waiting.wait(N1, ticket=ticket, wait_s=WAIT_S))
        second = asyncio.create_task(world.waiting.wait(N2, ticket=ticket, wait_s=0.05))
        await settle()
        world.queue(N1)
        assert await first is True
        assert await second is False


async def test_a_command_between_the_answer_and_the_wait_is_not_missed(world: World) -> None:
    with world.waiting.interest() as ticket:
        world.queue(N1)
        await settle()
        assert await world.waiting.wait(N1, ticket=ticket, wait_s=WAIT_S) is True


async def test_a_command_that_was_found_before_is_no_news(world: World) -> None:
    with world.waiting.interest():
        world.queue(N1)
        await settle()
        with world.waiting.interest() as ticket:
            assert await world.waiting.wait(N1, ticket=ticket, wait_s=0.01) is False


async def test_nobody_looks_while_nobody_waits(world: World) -> None:
    world.queue(N1)
    await settle()
    assert world.looks == 0


async def test_a_clock_rings_again_and_again() -> None:
    rung = 0
    async for _ in ClockBell(every_s=0.001).rings():
        rung += 1
        if rung == 3:
            break
    assert rung == 3

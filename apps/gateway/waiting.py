"""Agents that wait for a command hear of it at once.

Whoever queues a command rings the bell of the outbox once that is committed. The gateway hears it
through Redis, and looks for commands that have not left yet: one query, whoever waits. Without
Redis, or while it is away, it looks every so often.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Protocol
from uuid import UUID

from apps.gateway.limits import LOOK_GAP_S

#: Returns the nodes that have new commands.
Look = Callable[[], Awaitable[frozenset[UUID]]]


class Bell(Protocol):
    """Says when to look. Belongs to one event loop."""

    def rings(self) -> AsyncIterator[None]:
        """Yield each time it is time to look; many rings may be one. Ends when cancelled."""


class Waiting:
    """Who waits for commands. Belongs to one event loop.

    1. ``run`` as a task; 2. within ``interest``, read a node's commands and ``wait`` for more;
    3. cancel the task.
    """

    def __init__(self, *, look: Look, bell: Bell) -> None:
        """Look by ``look`` whenever ``bell`` rings."""
        self._look = look
        self._bell = bell
        self._interested = 0
        # looks that have ended
        self._looks = 0
        # number of the latest look that found something for a node
        self._found: dict[UUID, int] = {}
        self._events: dict[UUID, asyncio.Event] = {}
        self._waiters: Counter[UUID] = Counter()

    @property
    def waiters(self) -> int:
        """How many wait, or are about to."""
        return self._interested

    @contextmanager
    def interest(self) -> Iterator[int]:
        """Have the bell heeded from now on; gives the ticket for ``wait``."""
        self._interested += 1
        try:
            yield self._looks
        finally:
            self._interested -= 1
            if not self._interested:
                self._found.clear()

    async def wait(self, node_id: UUID, *, ticket: int, wait_s: float) -> bool:
        """Return True as soon as a node has a command that is newer than the ticket."""
        if self._found.get(node_id, 0) > ticket:
            return True
        event = self._events.setdefault(node_id, asyncio.Event())
        self._waiters[node_id] += 1
        try:
            async with asyncio.timeout(wait_s):
                await event.wait()
        except TimeoutError:
            return False
        finally:
            self._waiters[node_id] -= 1
            if not self._waiters[node_id]:
                del self._waiters[node_id]
                self._events.pop(node_id, None)
        return True

    async def run(self) -> None:
        """Look whenever it rings and somebody waits, until cancelled."""
        async for _ in self._bell.rings():
            if not self._interested:
                continue
            found = await self._look()
            self._looks += 1
            for node_id in found:
                self._found[node_id] = self._looks
                event = self._events.pop(node_id, None)
                if event is not None:
                    event.set()
            await asyncio.sleep(LOOK_GAP_S)

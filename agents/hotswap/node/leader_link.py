"""The launcher's line to whoever leads the job: exits up, how the job stands down.

Notices come on it too and are left alone: `hotswap.node.event_tail` has all of them.
"""

import asyncio
from collections.abc import Callable

from hotswap.channel.addresses import latest_leader
from hotswap.errors import RequestRefused, WireError
from hotswap.limits import Limits
from hotswap.node.leader import Caller, LeaderConnection, try_leader
from hotswap.wire.messages import (
    Heartbeat,
    ProcessExited,
    Shutdown,
    Status,
    StatusRequest,
)

Told = Status | Shutdown


class LeaderLink:
    """Keeps a connection to the leader for as long as the run lasts.

    1. ``run`` as a task; it looks for a leader again and again, and never gives up;
    2. ``report`` from the same event loop, at any time: an exit is sent at once when there is a
       leader, and to every later leader too, as it may not have reached the one before;
    3. ``on_message`` is called in the loop for each message, in the order of arrival.
    """

    def __init__(
        self, *, caller: Caller, limits: Limits, on_message: Callable[[Told], None]
    ) -> None:
        """Prepare; nothing is sent before ``run``."""
        self._caller = caller
        self._limits = limits
        self._on_message = on_message
        # by name: the size is limited by ``respawn_max``
        self._exits: dict[str, ProcessExited] = {}
        self._connection: LeaderConnection | None = None
        self._token = 0

    def report(self, exit_: ProcessExited) -> None:
        """Tell the leader that a process is gone."""
        self._exits[exit_.name] = exit_
        if self._connection is not None:
            self._connection.write(exit_)

    async def run(self) -> None:
        """Talk to the leader, whoever that is, until cancelled."""
        while True:
            try:
                found = await try_leader(self._caller, limits=self._limits, token=self._token)
            except RequestRefused:
                found = "refused"  # it may be stale: another one leads soon
            if not isinstance(found, str):
                connection, welcome = found
                self._token = welcome.token
                await self._talk(connection)
            await asyncio.sleep(self._limits.reconnect_s)

    async def _talk(self, connection: LeaderConnection) -> None:
        """Serve one connection to its end."""
        for exit_ in self._exits.values():
            connection.write(exit_)
        self._connection = connection
        pulse = asyncio.create_task(self._pulse(connection))
        try:
            while True:
                # it answers a status request every ``status_every_s``, or it is frozen
                async with asyncio.timeout(self._limits.answer_s):
                    message = await connection.read()
                if isinstance(message, Status | Shutdown):
                    self._on_message(message)
        except (WireError, TimeoutError):
            return  # the next leader is told everything again
        finally:
            self._connection = None
            pulse.cancel()
            connection.close()

    async def _pulse(self, connection: LeaderConnection) -> None:
        """Say that the launcher lives, and ask how the job stands."""
        while not self._is_stale():
            connection.write(Heartbeat(epoch=0))
            connection.write(StatusRequest())
            await asyncio.sleep(self._limits.status_every_s)
        connection.close()

    def _is_stale(self) -> bool:
        """Whether another one leads: a connection does not show that its other end is frozen."""
        leader = latest_leader(self._caller.directory)
        return leader is not None and leader.token > self._token

"""Reports that come one by one are taken in together."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from apps.gateway.errors import GatewayBusy, IntakeFailed
from apps.gateway.intake import Delivery, Outcome
from apps.gateway.limits import BATCH_MAX, BUSY_REPORTS, LINGER_BUSY_S, LINGER_S, QUEUE_MAX

_log = structlog.get_logger()

#: Takes reports in; runs wherever waiting for a database does no harm.
Work = Callable[[Sequence[Delivery]], Awaitable[list[Outcome]]]

#: A pass that takes longer is given up by whoever waits for it, s.
PASS_S: Final = 30.0


class Batcher:
    """Collects reports for one pass after the other. Belongs to one event loop.

    1. ``run`` as a task; 2. ``submit``, any number at a time; 3. cancel the task.
    """

    def __init__(self, work: Work, *, queue_max: int = QUEUE_MAX) -> None:
        """Prepare; at most ``queue_max`` reports wait."""
        self._work = work
        self._queue: asyncio.Queue[tuple[Delivery, asyncio.Future[Outcome]]] = asyncio.Queue(
            maxsize=queue_max
        )

    async def submit(self, delivery: Delivery) -> Outcome:
        """Have a report taken in; return what became of it.

        Raises:
            GatewayBusy: too many wait already.
        """
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        try:
            self._queue.put_nowait((delivery, future))
        except asyncio.QueueFull as error:
            raise GatewayBusy from error
        return await future

    async def run(self) -> None:
        """Take reports in until cancelled."""
        batch: list[tuple[Delivery, asyncio.Future[Outcome]]] = []
        while True:
            is_busy = len(batch) >= BUSY_REPORTS
            batch = [await self._queue.get()]  # however long: it is cancelled at the end
            await asyncio.sleep(LINGER_BUSY_S if is_busy else LINGER_S)
            while len(batch) < BATCH_MAX and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            # who went away meanwhile does not wait for an answer
            batch = [(each, future) for each, future in batch if not future.done()]
            if batch:
                await self._pass(batch)

    async def _pass(self, batch: list[tuple[Delivery, asyncio.Future[Outcome]]]) -> None:
        try:
            async with asyncio.timeout(PASS_S):
                outcomes = await self._work([delivery for delivery, _ in batch])
        except Exception as error:  # noqa: BLE001 - one pass that fails must not end all later ones: its agents are told to come again
            _log.exception("intake.pass_failed", reports=len(batch), problem=str(error))
            outcomes = [Outcome(error=IntakeFailed())] * len(batch)
        for (_, future), outcome in zip(batch, outcomes, strict=True):
            if not future.done():
                future.set_result(outcome)

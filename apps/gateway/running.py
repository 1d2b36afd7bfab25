"""The gateway as a whole: threads for the database, tasks that live as long as the server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.db import close_old_connections

from apps.accounts.services import authority_of_plane
from apps.core import clock
from apps.gateway.batching import Batcher
from apps.gateway.bells import ClockBell, RedisBell
from apps.gateway.commands import nodes_with_new_commands
from apps.gateway.enrolment import enrol, renew
from apps.gateway.http import Gateway
from apps.gateway.intake import Delivery, Outcome, intake
from apps.gateway.waiting import Bell, Waiting
from hotswap.wire.plane import Enrolled, Enrolment, Renewal, Renewed

T = TypeVar("T")


@asynccontextmanager
async def gateway_running() -> AsyncIterator[Gateway]:
    """Run a gateway: its tasks end with the block, its threads once they have nothing to do."""
    # a thread each: a look must not wait behind a pass, and each has one connection
    reports, looks, signing = (
        ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        for name in ("intake", "look", "sign")
    )

    async def take_in(deliveries: Sequence[Delivery]) -> list[Outcome]:
        return await _within(reports, lambda: intake(deliveries, at=clock.now()))

    async def look() -> frozenset[UUID]:
        return await _within(looks, lambda: nodes_with_new_commands(at=clock.now()))

    async def sign(asked: Enrolment) -> Enrolled:
        return await _within(signing, lambda: enrol(asked, at=clock.now()))

    async def sign_next(fingerprint: str, asked: Renewal) -> Renewed:
        return await _within(signing, lambda: renew(asked, fingerprint=fingerprint, at=clock.now()))

    def authority_pem() -> str:
        return authority_of_plane(now=clock.now()).certificate_pem

    batcher = Batcher(take_in)
    waiting = Waiting(look=look, bell=_bell())
    tasks = [asyncio.create_task(batcher.run()), asyncio.create_task(waiting.run())]
    try:
        yield Gateway(
            batcher=batcher,
            waiting=waiting,
            enrol=sign,
            renew=sign_next,
            authority_pem=await _within(signing, authority_pem),
        )
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for executor in (reports, looks, signing):
            executor.shutdown(wait=False)


def _bell() -> Bell:
    if settings.REDIS_URL:
        return RedisBell(url=settings.REDIS_URL, channel=settings.OUTBOX_CHANNEL)
    return ClockBell()


def _within(executor: ThreadPoolExecutor, work: Callable[[], T]) -> Awaitable[T]:
    """Do something in a thread, with a database connection that is alive."""

    def run() -> T:
        close_old_connections()
        try:
            return work()
        finally:
            close_old_connections()

    return asyncio.get_running_loop().run_in_executor(executor, run)

"""What tells the gateway to look for commands: Redis, or the clock."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import structlog
from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from apps.gateway.limits import LOOK_ANYWAY_S, LOOK_EVERY_S, RECONNECT_S

_log = structlog.get_logger()

#: Longest wait for a connection to Redis, s.
CONNECT_S = 1.0


class ClockBell:
    """Rings every so often: all that there is without Redis."""

    def __init__(self, *, every_s: float = LOOK_EVERY_S) -> None:
        """Ring every ``every_s``."""
        self._every_s = every_s

    async def rings(self) -> AsyncIterator[None]:
        """Yield every so often."""
        while True:
            yield
            await asyncio.sleep(self._every_s)


class RedisBell:
    """Rings when the outbox's bell does; while Redis is away, every so often."""

    def __init__(self, *, url: str, channel: str) -> None:
        """Hear ``channel``."""
        self._url = url
        self._channel = channel

    async def rings(self) -> AsyncIterator[None]:
        """Yield when it rings, and now and then anyway."""
        client = Redis.from_url(self._url, socket_connect_timeout=CONNECT_S)
        heard: PubSub | None = None
        try:
            while True:
                if heard is None:
                    heard = await self._subscribe(client)
                yield
                if heard is None:
                    await asyncio.sleep(min(LOOK_EVERY_S, RECONNECT_S))
                    continue
                try:
                    await heard.get_message(timeout=LOOK_ANYWAY_S)
                    while await heard.get_message(timeout=0) is not None:
                        pass  # many rings are one
                except (RedisError, OSError) as error:
                    _log.warning("gateway.bell_lost", problem=str(error))
                    heard = None
        finally:
            with suppress(RedisError, OSError):
                await client.aclose()

    async def _subscribe(self, client: Redis) -> PubSub | None:
        """Return the subscription; None while Redis is away."""
        heard = client.pubsub(ignore_subscribe_messages=True)
        try:
            await heard.subscribe(self._channel)
        except (RedisError, OSError) as error:
            _log.warning("gateway.bell_unreachable", problem=str(error))
            return None
        return heard

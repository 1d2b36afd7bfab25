"""Rings for the relay: a message on a channel in Redis. Losing one only makes the relay later."""

from __future__ import annotations

import time
from functools import cache
from typing import Final

import structlog
from django.conf import settings
from redis import Redis, RedisError

#: Longest a ring may hold its caller up, s.
RING_S: Final = 0.2
#: After a ring that failed nobody tries for so long, s: requests must not wait for what is gone.
SILENCE_S: Final = 1.0

_log = structlog.get_logger()


class Bell:
    """A bell that gives up for a while when it is not heard."""

    def __init__(self, client: Redis) -> None:
        """Ring through a client."""
        self._client = client
        # CLOCK_MONOTONIC; may be set by two threads at once, which does no harm
        self._silent_until_s = 0.0

    def ring(self) -> None:
        """Say that something waits; never raises."""
        if time.monotonic() < self._silent_until_s:
            return
        try:
            self._client.publish(settings.OUTBOX_CHANNEL, b"")
        except RedisError as error:
            self._silent_until_s = time.monotonic() + SILENCE_S
            _log.warning("bell.not_heard", problem=str(error))


def ring() -> None:
    """Ring this process's bell, if there is a Redis."""
    if settings.REDIS_URL:
        _bell().ring()


@cache
def _bell() -> Bell:
    return Bell(
        Redis.from_url(
            settings.REDIS_URL, socket_timeout=RING_S, socket_connect_timeout=RING_S, retry=None
        )
    )

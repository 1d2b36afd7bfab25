"""The process around the relay: waits for the bell or the next look, and outlives outages."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError
from redis import Redis, RedisError

from apps.core.clock import now
from workers.lease import RedisLease
from workers.outlets import ChannelsAndCelery
from workers.relay import BATCH_MAX, Relay

if TYPE_CHECKING:
    from collections.abc import Callable

    from redis.client import PubSub

#: Without a ring the outbox is looked at after this, s.
LOOK_EVERY_S: Final = 0.5
#: A relay that dies is followed by another one after this, s.
LEASE_S: Final = 3.0
#: Before the next try after database or Redis could not be reached, s.
PAUSE_S: Final = 0.5
#: Longest wait for an answer of Redis, s.
REDIS_S: Final = 2.0
LEASE_KEY: Final = "hotswap:relay:lease"

_log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class Bell:
    """Hears the bell that `controlplane.bell` rings."""

    client: Redis
    channel: str
    _heard: PubSub | None = None

    def wait(self, wait_s: float) -> None:
        """Return when it has rung, or after a while. Raises RedisError."""
        if self._heard is None:
            # published without types
            heard = self.client.pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
            heard.subscribe(self.channel)
            self._heard = heard
        deadline_s = time.monotonic() + wait_s
        while (left_s := deadline_s - time.monotonic()) > 0:
            # None also stands for the confirmation of the subscription
            if self._heard.get_message(timeout=left_s) is not None:
                break
        while self._heard.get_message(timeout=0) is not None:
            pass  # many rings are one: everything that waits is sent together

    def forget(self) -> None:
        """Subscribe anew next time."""
        heard, self._heard = self._heard, None
        if heard is not None:
            heard.close()


def run(*, relay: Relay, bell: Bell, stopping: Callable[[], bool]) -> None:
    """Send what waits until told to stop; an outage of database or Redis only delays it."""
    while not stopping():
        try:
            if relay.turn(now=now()) < BATCH_MAX:
                bell.wait(LOOK_EVERY_S)
        except (RedisError, DatabaseError, OperationalError, OSError) as error:
            _log.warning("relay.waits", problem=f"{type(error).__name__}: {error}")
            bell.forget()
            close_old_connections()
            time.sleep(PAUSE_S)


def main() -> None:
    """Run a relay until SIGTERM or SIGINT."""
    if not settings.REDIS_URL:
        raise SystemExit("REDIS_URL is missing: without Redis there is nobody to send to")
    stopped: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda got, _frame: stopped.append(got))
    client = Redis.from_url(
        settings.REDIS_URL, socket_timeout=REDIS_S, socket_connect_timeout=REDIS_S
    )
    layer = get_channel_layer()
    assert layer is not None, "settings name one"
    lease = RedisLease(client=client, name=LEASE_KEY, lease_s=LEASE_S)
    outlets = ChannelsAndCelery(layer=layer, celery=import_string(settings.CELERY_APP))
    relay = Relay(lease=lease, outlets=outlets)
    run(
        relay=relay,
        bell=Bell(client=client, channel=settings.OUTBOX_CHANNEL),
        stopping=lambda: bool(stopped),
    )
    lease.release()

"""One holder at a time, by a key in Redis that expires."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from redis import Redis

# renews only what is still one's own
_RENEW = """
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
return 0
"""
_RELEASE = """
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0
"""
_MS_PER_S = 1000


class Lease(Protocol):
    """The right to act, for a while.

    `hold` first, and again before each action; act only while it returns true. One that returned
    false may be tried again. Not thread-safe.
    """

    def hold(self) -> bool:
        """Take the lease, or renew it; False: somebody else has it."""

    def release(self) -> None:
        """Give it back, if it is held."""


@dataclass(slots=True, kw_only=True)
class RedisLease:
    """A lease in Redis or Valkey. Raises redis' own errors when that can't be reached."""

    client: Redis
    # key
    name: str
    # without renewal it ends after this
    lease_s: float
    _token: str = field(default_factory=lambda: secrets.token_hex(16))
    # CLOCK_MONOTONIC: until then it is held for sure
    _until_s: float = 0.0

    def hold(self) -> bool:
        """Take the lease, or renew it once half of it is over."""
        now_s = time.monotonic()
        if self._until_s - now_s > self.lease_s / 2:
            return True
        lease_ms = int(self.lease_s * _MS_PER_S)
        held = bool(self.client.eval(_RENEW, 1, self.name, self._token, lease_ms)) or bool(
            self.client.set(self.name, self._token, nx=True, px=lease_ms)
        )
        # counted from before the question: Redis may have counted from later, never from earlier
        self._until_s = now_s + self.lease_s if held else 0.0
        return held

    def release(self) -> None:
        """Give it back, so that the next one need not wait for its end."""
        self._until_s = 0.0
        self.client.eval(_RELEASE, 1, self.name, self._token)

"""How often somebody may ask. Counted in the cache: loosely, which is enough against floods."""

import hashlib
from typing import TYPE_CHECKING, ClassVar, Final

import structlog
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from redis import RedisError
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from apps.core.access import Actor

if TYPE_CHECKING:
    # the framework's views import what settings name, and so this
    from rest_framework.views import APIView

_log = structlog.get_logger()

#: Counts that a process keeps by itself; of more, some are forgotten.
OWN_COUNTS_MAX: Final = 10_000


class WindowThrottle(SimpleRateThrottle):
    """Counts requests in windows of fixed length.

    The framework's own keeps the time of each request and sends all of them to the cache and back
    each time. While the cache is away, each process counts for itself.
    """

    # counts of this process alone
    own: ClassVar[BaseCache] = LocMemCache("throttle", {"OPTIONS": {"MAX_ENTRIES": OWN_COUNTS_MAX}})

    # of the rate, as the framework reads it: requests, and s
    num_requests: int
    duration: int
    # until the next window begins, s
    _left_s: float

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Whether the request is within the rate."""
        now_s = self.timer()
        window = int(now_s // self.duration)
        self._left_s = (window + 1) * self.duration - now_s
        key = f"{self.get_cache_key(request, view)}:{window}"
        try:
            return self._counted(key, self.cache) <= self.num_requests
        except RedisError as error:
            _log.warning("throttle.counted_here_alone", scope=self.scope, problem=str(error))
            return self._counted(key, self.own) <= self.num_requests

    def wait(self) -> float:
        """Return when somebody who was refused may ask again, s from now."""
        return self._left_s

    def _counted(self, key: str, cache: BaseCache) -> int:
        if cache.add(key, 1, self.duration):
            return 1
        try:
            counted: int = cache.incr(key)
        except ValueError:
            # its window has just ended
            return 1
        return counted


class ActorThrottle(WindowThrottle):
    """Counts by actor; requests without one by address."""

    scope = "actor"

    def get_cache_key(self, request: Request, view: object) -> str | None:  # noqa: ARG002 - the framework passes it
        """Return what the request counts for."""
        actor = request.auth
        if isinstance(actor, Actor):
            return self.cache_format % {"scope": self.scope, "ident": f"{actor.kind}:{actor.id}"}
        return self.cache_format % {"scope": "anonymous", "ident": self.get_ident(request)}


class SignInThrottle(WindowThrottle):
    """Counts attempts to sign in, by name and address."""

    scope = "login"

    def get_cache_key(self, request: Request, view: object) -> str | None:  # noqa: ARG002 - as above
        """Return what the attempt counts for."""
        data = request.data if isinstance(request.data, dict) else {}
        name = hashlib.sha256(str(data.get("username", "")).encode()).hexdigest()
        return self.cache_format % {
            "scope": self.scope,
            "ident": f"{name}:{self.get_ident(request)}",
        }

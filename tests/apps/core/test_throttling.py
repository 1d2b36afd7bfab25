"""Requests are counted by the window; without the cache, by each process alone."""

from collections.abc import Iterator

import pytest
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from apps.core.throttling import ActorThrottle


class Clock:
    """A clock that is turned by hand, s."""

    now_s = 600.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def throttle(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[ActorThrottle]:
    """Three requests a minute."""
    cache = LocMemCache("throttle", {})
    cache.clear()
    yield a_throttle(cache, clock, monkeypatch)
    cache.clear()


def a_throttle(cache: BaseCache, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> ActorThrottle:
    monkeypatch.setitem(ActorThrottle.THROTTLE_RATES, "actor", "3/min")
    made = ActorThrottle()
    monkeypatch.setattr(made, "cache", cache, raising=False)
    monkeypatch.setattr(made, "timer", clock, raising=False)
    return made


def a_request(address: str = "192.0.2.1") -> Request:
    request = Request(APIRequestFactory().get("/", REMOTE_ADDR=address))
    request.auth = None
    return request


def test_more_than_the_rate_is_refused_until_the_next_window(
    throttle: ActorThrottle, clock: Clock
) -> None:
    clock.now_s += 20
    allowed = [throttle.allow_request(a_request(), APIView()) for _ in range(4)]
    assert (allowed, throttle.wait()) == ([True, True, True, False], 40)
    clock.now_s += 40
    assert throttle.allow_request(a_request(), APIView())


def test_everybody_has_a_count_of_their_own(throttle: ActorThrottle) -> None:
    for _ in range(4):
        throttle.allow_request(a_request(), APIView())
    assert throttle.allow_request(a_request("192.0.2.2"), APIView())


def test_while_the_cache_is_away_the_process_counts_alone(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    throttle = a_throttle(RedisCache("redis://127.0.0.1:1/0", {}), clock, monkeypatch)
    monkeypatch.setattr(throttle, "own", LocMemCache("alone", {}))
    assert [throttle.allow_request(a_request(), APIView()) for _ in range(5)] == [
        *[True] * 3,
        *[False] * 2,
    ]

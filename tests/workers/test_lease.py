import time
from collections.abc import Iterator

import pytest
from redis import Redis

from workers.lease import RedisLease


@pytest.fixture
def client(valkey_url: str) -> Iterator[Redis]:
    found = Redis.from_url(valkey_url)
    found.flushall()
    yield found
    found.close()


def lease(client: Redis, lease_s: float = 5.0) -> RedisLease:
    return RedisLease(client=client, name="lease", lease_s=lease_s)


def test_one_holds_it_and_keeps_it(client: Redis) -> None:
    first, second = lease(client), lease(client)
    assert first.hold()
    assert not second.hold()
    assert first.hold()


def test_given_back_it_is_free_at_once(client: Redis) -> None:
    first, second = lease(client), lease(client)
    assert first.hold()
    first.release()
    assert second.hold()


def test_one_that_does_not_hold_it_gives_nothing_back(client: Redis) -> None:
    first, second = lease(client), lease(client)
    assert first.hold()
    second.release()
    assert not second.hold()


def test_without_renewal_it_ends(client: Redis) -> None:
    first, second = lease(client, lease_s=0.1), lease(client)
    assert first.hold()
    deadline_s = time.monotonic() + 5
    while not second.hold():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    assert not first.hold()


def test_a_holder_renews_before_the_end(client: Redis) -> None:
    first = lease(client, lease_s=0.4)
    assert first.hold()
    time.sleep(0.25)
    assert first.hold()
    assert int(client.pttl("lease")) > 200

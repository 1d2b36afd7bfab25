"""What only the lease store on a server does: outages, loss of memory, the server's clock."""

import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from hotswap.coordinator.lease import Lease
from hotswap.coordinator.redis_lease import (
    ANSWER_S,
    CLOCK_CHECK_S,
    RedisClock,
    RedisLeaseStore,
    connect,
    keys_of,
)
from hotswap.errors import FencedOff, LeaseDamaged, StateUnwritable
from hotswap.limits import Limits
from tests.hotswap.coordinator.valkey_server import Valkey

TTL_S = 0.5
KEY = "lease of a test"


@pytest.fixture
def keeping(tmp_path: Path) -> Iterator[Valkey]:
    """A server that writes down what it is told."""
    with Valkey(tmp_path) as server:
        yield server


@pytest.fixture
def forgetful(tmp_path: Path) -> Iterator[Valkey]:
    """A server that keeps everything in memory."""
    with Valkey(tmp_path, keep=False) as server:
        yield server


def lead(store: RedisLeaseStore, name: str, *, now: float) -> Lease:
    lease = store.acquire(name=name, ttl_s=TTL_S, now=now)
    assert lease is not None
    return lease


def test_a_server_that_is_away_changes_nothing_and_says_what_to_do(keeping: Valkey) -> None:
    with keeping.client() as client:
        store = RedisLeaseStore(client, key=KEY)
        lease = lead(store, "a", now=10.0)
        store.save(lease, b"epoch 7")
        keeping.kill()
        with pytest.raises(StateUnwritable, match="HOTSWAP_REDIS_URL does not answer"):
            store.renew(lease, now=10.1)
        with pytest.raises(StateUnwritable):
            store.save(lease, b"epoch 8")
        # what was seen last is still told, so that members are sent to the right place
        assert store.holder(now=10.2) == lease
        assert store.load() == b"epoch 7"
        keeping.start()
        assert store.renew(lease, now=10.3).expires_s == 10.3 + TTL_S
        assert store.load() == b"epoch 7"


def test_a_frozen_server_holds_a_coordinator_up_for_less_than_its_lease(keeping: Valkey) -> None:
    with keeping.client() as patient, keeping.client(answer_s=ANSWER_S) as client:
        lease = lead(RedisLeaseStore(patient, key=KEY), "a", now=10.0)
        keeping.freeze()
        began_s = time.monotonic()
        try:
            with pytest.raises(StateUnwritable):
                RedisLeaseStore(client, key=KEY).renew(lease, now=10.1)
        finally:
            keeping.thaw()
        assert time.monotonic() - began_s >= ANSWER_S
        assert Limits().leader_lease_s > ANSWER_S
        assert RedisLeaseStore(patient, key=KEY).renew(lease, now=10.4).token == lease.token


def test_a_server_that_was_killed_goes_on_with_the_same_tokens(keeping: Valkey) -> None:
    with keeping.client() as client:
        lead(RedisLeaseStore(client, key=KEY), "a", now=10.0)
        keeping.kill()
        keeping.start()
        # a coordinator that has never seen the lease before
        fresh = RedisLeaseStore(client, key=KEY)
        assert lead(fresh, "b", now=11.0).token == 2


def test_a_server_that_has_forgotten_is_told_the_newest_that_anyone_has_seen(
    forgetful: Valkey,
) -> None:
    with forgetful.client() as one, forgetful.client() as other:
        leader, standby = RedisLeaseStore(one, key=KEY), RedisLeaseStore(other, key=KEY)
        old = lead(leader, "a", now=10.0)
        leader.save(old, b"old")
        assert standby.load() == b"old"
        leader.save(old, b"new")
        forgetful.kill()
        forgetful.start()
        # the one who knows less comes first, and does not win
        assert standby.load() == b"old"
        assert leader.load() == b"new"
        assert standby.load() == b"new"
        assert lead(standby, "b", now=11.0).token == 2
        with pytest.raises(FencedOff, match="b has led since"):
            leader.save(old, b"late")


def test_who_led_on_a_server_that_had_forgotten_is_fenced_off(forgetful: Valkey) -> None:
    with forgetful.client() as one, forgetful.client() as other:
        leader = RedisLeaseStore(one, key=KEY)
        lead(leader, "a", now=10.0)
        token = lead(leader, "a", now=11.0).token
        forgetful.kill()
        forgetful.start()
        stranger = RedisLeaseStore(other, key=KEY)
        usurped = lead(stranger, "b", now=11.1)
        assert usurped.token < token
        assert leader.holder(now=11.1) is not None
        with pytest.raises(FencedOff):
            stranger.renew(usurped, now=11.2)


def test_a_lease_of_something_else_is_named_as_damaged(valkey: Valkey) -> None:
    key = secrets.token_hex(8)
    with valkey.client() as client:
        client.hset(key, mapping={"version": 3, "state": b"\xc1"})
        with pytest.raises(LeaseDamaged, match="another version of hotswap"):
            RedisLeaseStore(client, key=key).load()


def test_runs_of_one_name_have_leases_of_their_own() -> None:
    first, second = keys_of(job="gpt", key=b"1" * 32), keys_of(job="gpt", key=b"2" * 32)
    assert first.lease != second.lease
    assert first.lease != first.addresses
    assert first == keys_of(job="gpt", key=b"1" * 32)


class ServersClock:
    """A server that says what time it is."""

    def __init__(self) -> None:
        self.now = 1_000.25
        self.away = False

    def time(self) -> tuple[int, int]:
        if self.away:
            raise redis.ConnectionError
        return int(self.now), int(self.now % 1 * 1e6)


def test_the_clock_is_the_servers_and_runs_on_while_that_is_away() -> None:
    server, local = ServersClock(), 5.0
    clock = RedisClock(server.time, monotonic=lambda: local)
    assert clock() == 1_000.25
    local += 2.0
    assert clock() == 1_002.25
    # a jump is taken over with the next look
    server.now += 100.0
    local += CLOCK_CHECK_S
    assert clock() == 1_100.25
    server.away = True
    local += CLOCK_CHECK_S
    assert clock() == 1_100.25 + CLOCK_CHECK_S


def test_a_server_that_is_not_there_is_named_at_once() -> None:
    with connect("redis://127.0.0.1:1/0") as client, pytest.raises(StateUnwritable):
        RedisClock(client.time)

"""One suite that every lease store passes: who leads, under which token, and who may save."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotswap.coordinator.file_lease import FileLeaseStore
from hotswap.coordinator.lease import Lease, LeaseStore
from hotswap.coordinator.memory_lease import MemoryLeaseStore
from hotswap.coordinator.redis_lease import RedisLeaseStore
from hotswap.errors import FencedOff
from tests.hotswap.coordinator.valkey_server import Valkey

TTL_S = 0.5

Open = Callable[[], LeaseStore]


@pytest.fixture(params=["memory", "file", "redis"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path, valkey: Valkey) -> Iterator[Open]:
    """Yield a function that opens the store once more, as another coordinator would."""
    if request.param == "memory":
        store = MemoryLeaseStore()
        yield lambda: store
        return
    with ExitStack() as stack:
        if request.param == "redis":
            key = secrets.token_hex(8)
            yield lambda: RedisLeaseStore(stack.enter_context(valkey.client()), key=key)
        else:
            yield lambda: stack.enter_context(closing(FileLeaseStore(tmp_path / "lease")))


def lead(store: LeaseStore, name: str, *, now: float) -> Lease:
    lease = store.acquire(name=name, ttl_s=TTL_S, now=now)
    assert lease is not None
    return lease


def test_nobody_leads_at_first_and_there_is_no_record(open_store: Open) -> None:
    store = open_store()
    assert store.holder(now=0.0) is None
    assert store.load() is None


def test_the_first_who_asks_leads_and_others_see_it(open_store: Open) -> None:
    first, second = open_store(), open_store()
    lease = lead(first, "a", now=10.0)
    assert (lease.name, lease.token, lease.expires_s) == ("a", 1, 10.0 + TTL_S)
    assert lease.unled_since_s is None
    assert second.holder(now=10.1) == lease
    assert second.acquire(name="b", ttl_s=TTL_S, now=10.1) is None


def test_the_holder_does_not_get_the_lease_a_second_time(open_store: Open) -> None:
    store = open_store()
    lead(store, "a", now=10.0)
    assert store.acquire(name="a", ttl_s=TTL_S, now=10.1) is None


def test_an_expired_lease_goes_to_another_with_a_higher_token(open_store: Open) -> None:
    first, second = open_store(), open_store()
    lead(first, "a", now=10.0)
    assert second.acquire(name="b", ttl_s=TTL_S, now=10.0 + TTL_S - 0.001) is None
    lease = lead(second, "b", now=10.0 + TTL_S)
    assert (lease.token, lease.unled_since_s) == (2, 10.0)
    assert first.holder(now=10.6) == lease


def test_renewing_extends_the_lease(open_store: Open) -> None:
    first, second = open_store(), open_store()
    lease = first.renew(lead(first, "a", now=10.0), now=10.4)
    assert lease.expires_s == 10.4 + TTL_S
    assert second.holder(now=10.8) == lease
    assert second.acquire(name="b", ttl_s=TTL_S, now=10.8) is None


def test_a_lease_that_has_expired_cannot_be_renewed(open_store: Open) -> None:
    store = open_store()
    lease = lead(store, "a", now=10.0)
    with pytest.raises(FencedOff, match="expired"):
        store.renew(lease, now=10.0 + TTL_S)


def test_a_former_leader_is_told_who_leads(open_store: Open) -> None:
    first, second = open_store(), open_store()
    lease = lead(first, "a", now=10.0)
    lead(second, "b", now=11.0)
    with pytest.raises(FencedOff, match="b has led since, with token 2"):
        first.renew(lease, now=11.0)


def test_a_released_lease_is_free_at_once(open_store: Open) -> None:
    first, second = open_store(), open_store()
    lease = lead(first, "a", now=10.0)
    first.release(lease)
    assert second.holder(now=10.1) is None
    assert lead(second, "b", now=10.1).token == 2


def test_a_released_lease_cannot_be_renewed(open_store: Open) -> None:
    store = open_store()
    lease = lead(store, "a", now=10.0)
    store.release(lease)
    with pytest.raises(FencedOff):
        store.renew(lease, now=10.1)


def test_releasing_an_old_lease_takes_nothing_from_the_leader(open_store: Open) -> None:
    first, second = open_store(), open_store()
    old = lead(first, "a", now=10.0)
    new = lead(second, "b", now=11.0)
    first.release(old)
    assert second.holder(now=11.1) == new


def test_a_record_is_there_for_the_next_leader(open_store: Open) -> None:
    first, second = open_store(), open_store()
    first.save(lead(first, "a", now=10.0), b"epoch 7")
    lead(second, "b", now=11.0)
    assert second.load() == b"epoch 7"


def test_a_save_with_an_old_token_is_refused_and_changes_nothing(open_store: Open) -> None:
    first, second = open_store(), open_store()
    old = lead(first, "a", now=10.0)
    second.save(lead(second, "b", now=11.0), b"new")
    with pytest.raises(FencedOff):
        first.save(old, b"late")
    assert second.load() == b"new"


def test_the_latest_leader_may_save_after_the_expiry_as_long_as_nobody_else_leads(
    open_store: Open,
) -> None:
    store = open_store()
    store.save(lead(store, "a", now=10.0), b"late, but nobody was faster")
    assert store.holder(now=20.0) is None
    assert store.load() == b"late, but nobody was faster"


def test_an_empty_record_is_not_no_record(open_store: Open) -> None:
    store = open_store()
    store.save(lead(store, "a", now=10.0), b"")
    assert store.load() == b""


def test_tokens_rise_with_each_leader_and_are_never_used_again(open_store: Open) -> None:
    stores = [open_store() for _ in range(3)]
    leases = [
        lead(stores[each % 3], f"coordinator-{each % 3}", now=float(each)) for each in range(40)
    ]
    assert [lease.token for lease in leases] == list(range(1, 41))


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["acquire", "renew", "release", "save", "look"]),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from([0.0, 0.1, 0.3, TTL_S]),
    ),
    max_size=40,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=OPERATIONS)
def test_the_store_on_a_server_does_what_the_memory_store_does(
    operations: list[tuple[str, str, float]], valkey: Valkey
) -> None:
    memory = MemoryLeaseStore()
    with ExitStack() as stack:
        key = secrets.token_hex(8)
        shared = {
            name: RedisLeaseStore(stack.enter_context(valkey.client()), key=key) for name in "abc"
        }
        expected = run(operations, dict.fromkeys("abc", memory))
        actual = run(operations, shared)
    assert actual == expected


@settings(max_examples=60)
@given(operations=OPERATIONS)
def test_the_file_store_does_what_the_memory_store_does(
    operations: list[tuple[str, str, float]],
) -> None:
    memory = MemoryLeaseStore()
    with TemporaryDirectory() as directory:
        files = {name: FileLeaseStore(Path(directory)) for name in "abc"}
        expected = run(operations, dict.fromkeys("abc", memory))
        actual = run(operations, files)
        for store in files.values():
            store.close()
    assert actual == expected


def run(operations: list[tuple[str, str, float]], stores: Mapping[str, LeaseStore]) -> list[object]:
    """Return what each operation returned, or the kind of error that it raised."""
    held: dict[str, Lease] = {}
    now, results = 100.0, list[object]()
    for index, (operation, name, wait_s) in enumerate(operations):
        now += wait_s
        try:
            results.append(apply(operation, name, stores[name], held, now=now, index=index))
        except FencedOff as error:
            results.append(str(error))
    return results


def apply(
    operation: str,
    name: str,
    store: LeaseStore,
    held: dict[str, Lease],
    *,
    now: float,
    index: int,
) -> object:
    """Make one call as the coordinator ``name``, if it's in a position to make it."""
    if operation == "acquire":
        lease = store.acquire(name=name, ttl_s=TTL_S, now=now)
        if lease is not None:
            held[name] = lease
        return lease
    if operation == "renew" and name in held:
        held[name] = store.renew(held[name], now=now)
    elif operation == "save" and name in held:
        store.save(held[name], f"record {index}".encode())
    elif operation == "release" and name in held:
        store.release(held[name])
    return store.holder(now=now), store.load()

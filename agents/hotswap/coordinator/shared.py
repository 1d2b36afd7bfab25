"""What the coordinators of a job share, by the settings: a directory, or a server as well."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from hotswap.coordinator.address_book import AddressBook, DirectoryBook, SeveralBooks
from hotswap.coordinator.file_lease import FileLeaseStore
from hotswap.coordinator.lease import LeaseStore
from hotswap.coordinator.settings import Settings
from hotswap.errors import EnvironmentInvalid, StateUnwritable


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """How one coordinator agrees with the others."""

    store: LeaseStore
    # clock that the store goes by, in seconds
    clock: Callable[[], float]
    book: AddressBook
    close: Callable[[], None]


async def open_shared(settings: Settings) -> Shared:
    """Return what the coordinators share: by ``redis_url``, or by the job's directory alone.

    Raises:
        StateUnwritable: the server has not answered for ``find_leader_s``.
        EnvironmentInvalid: a server is asked for, and what talks to it is not installed.
        OSError: the directory can't be made.

    """
    directory = DirectoryBook(settings.job_directory)
    if settings.redis_url is None:
        store = FileLeaseStore(settings.lease_directory)
        return Shared(store=store, clock=time.monotonic, book=directory, close=store.close)
    deadline_s = time.monotonic() + settings.limits.find_leader_s
    while True:
        try:
            return _on_server(settings, settings.redis_url, directory)
        except StateUnwritable:
            if time.monotonic() >= deadline_s:
                raise
            await asyncio.sleep(settings.limits.leader_renew_s)


def _on_server(settings: Settings, url: str, directory: DirectoryBook) -> Shared:
    # only here: coordinators that share a directory do without
    try:
        from hotswap.coordinator import redis_addresses, redis_lease  # noqa: PLC0415 - see above
    except ModuleNotFoundError as error:
        raise EnvironmentInvalid(
            f"HOTSWAP_REDIS_URL is set, and {error.name} is not installed: "
            "`pip install 'hotswap[agent]'`"
        ) from error
    try:
        client = redis_lease.connect(url)
    except ValueError as error:
        # the URL may hold a password: the message names the variable alone
        raise EnvironmentInvalid(
            "HOTSWAP_REDIS_URL is no address of a server: redis://HOST:PORT/NUMBER"
        ) from error
    keys = redis_lease.keys_of(job=settings.job, key=settings.key)
    book = redis_addresses.RedisBook(client, key=keys.addresses)
    return Shared(
        store=redis_lease.RedisLeaseStore(client, key=keys.lease),
        clock=redis_lease.RedisClock(client.time),
        book=SeveralBooks([directory, book]),
        close=client.close,
    )

"""Coordinators on other machines are found where the members of this node look."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hotswap.channel.addresses import (
    FOLDER,
    Address,
    address_of,
    announce,
    latest_leader,
    withdraw,
)
from hotswap.coordinator.redis_addresses import RedisBook
from hotswap.coordinator.redis_lease import keys_of
from hotswap.errors import EnvironmentInvalid
from hotswap.node.agent.address_mirror import AddressMirror
from hotswap.node.job_directory import JobDirectory, ensure
from tests.hotswap.coordinator.valkey_server import Valkey

KEY = b"k" * 32
HERE, THERE = Address("10.0.0.1", 4000), Address("10.0.0.2", 4000)


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey"), keep=False) as server:
        yield server


@pytest.fixture
def book(valkey: Valkey) -> Iterator[RedisBook]:
    """What a coordinator on another machine writes."""
    with valkey.client() as client:
        client.flushall()
        yield RedisBook(client, key=keys_of(job="gpt", key=KEY).addresses)


@pytest.fixture
def mirror(valkey: Valkey) -> Iterator[AddressMirror]:
    mirror = AddressMirror(valkey.url)
    yield mirror
    mirror.close()


@pytest.fixture
def directory(tmp_path: Path) -> JobDirectory:
    directory = JobDirectory(path=tmp_path / "gpt")
    ensure(directory, key=KEY)
    return directory


def test_what_is_announced_elsewhere_is_found_here(
    mirror: AddressMirror, book: RedisBook, directory: JobDirectory
) -> None:
    book.announce(name="coordinator-1", address=THERE)
    mirror.look([directory])
    assert address_of(directory.path, name="coordinator-1") == THERE
    assert latest_leader(directory.path) is None
    book.announce(name="coordinator-1", address=THERE, token=3)
    mirror.look([directory])
    assert latest_leader(directory.path) == (THERE, 3)


def test_where_the_directory_is_shared_nothing_is_written(
    mirror: AddressMirror, book: RedisBook, directory: JobDirectory
) -> None:
    announce(directory.path, name="coordinator-0", address=HERE, token=2)
    before = (directory.path / FOLDER / "coordinator-0.json").stat()
    book.announce(name="coordinator-0", address=HERE, token=2)
    mirror.look([directory])
    after = (directory.path / FOLDER / "coordinator-0.json").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_one_that_was_withdrawn_here_is_not_brought_back(
    mirror: AddressMirror, book: RedisBook, directory: JobDirectory
) -> None:
    book.announce(name="coordinator-1", address=THERE)
    mirror.look([directory])
    withdraw(directory.path, name="coordinator-1")
    mirror.look([directory])
    assert address_of(directory.path, name="coordinator-1") is None


def test_a_server_that_is_away_and_a_job_without_a_key_harm_nobody(
    book: RedisBook, directory: JobDirectory, tmp_path: Path
) -> None:
    book.announce(name="coordinator-1", address=THERE)
    away = AddressMirror("redis://127.0.0.1:1/0")
    away.look([directory])
    away.close()
    unmade = JobDirectory(path=tmp_path / "nothing")
    assert address_of(directory.path, name="coordinator-1") is None
    assert not unmade.path.exists()


def test_an_address_that_is_none_is_refused_without_being_shown() -> None:
    with pytest.raises(EnvironmentInvalid, match="HOTSWAP_REDIS_URL") as caught:
        AddressMirror("secret@nowhere")
    assert "secret" not in str(caught.value)

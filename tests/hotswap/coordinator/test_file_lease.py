"""What only the lease store of one machine does: files, damage, death of a leader, reboot."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hotswap.coordinator.file_lease import FileLeaseStore
from hotswap.coordinator.lease import Lease
from hotswap.coordinator.versioned_file import KEPT
from hotswap.errors import FencedOff, LeaseDamaged, StateUnwritable

TTL_S = 0.5


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileLeaseStore]:
    with closing(FileLeaseStore(tmp_path)) as opened:
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[FileLeaseStore]:
    with closing(FileLeaseStore(tmp_path)) as opened:
        yield opened


def lead(store: FileLeaseStore, name: str, *, now: float) -> Lease:
    lease = store.acquire(name=name, ttl_s=TTL_S, now=now)
    assert lease is not None
    return lease


def newest(directory: Path) -> Path:
    return max(directory.glob("lease-*"))


def test_a_leader_that_is_gone_is_replaced_before_its_lease_expires(
    store: FileLeaseStore, other: FileLeaseStore
) -> None:
    lead(store, "a", now=10.0)
    assert other.acquire(name="b", ttl_s=TTL_S, now=10.1) is None
    store.close()  # what the kernel does when the process is gone
    assert other.holder(now=10.1) is None
    lease = lead(other, "b", now=10.1)
    assert (lease.token, lease.unled_since_s) == (2, 10.0)


def test_a_lease_whose_sign_of_life_is_missing_counts_until_it_expires(
    store: FileLeaseStore, other: FileLeaseStore, tmp_path: Path
) -> None:
    lease = lead(store, "a", now=10.0)
    next(tmp_path.glob("alive-*")).unlink()
    assert other.holder(now=10.1) == lease
    assert other.holder(now=10.0 + TTL_S) is None


def test_token_and_record_outlive_every_store(tmp_path: Path) -> None:
    for token in (1, 2, 3):
        with closing(FileLeaseStore(tmp_path)) as opened:
            lease = lead(opened, "a", now=10.0)
            assert lease.token == token
            assert opened.load() == (f"record {token - 1}".encode() if token > 1 else None)
            opened.save(lease, f"record {token}".encode())


def test_a_lease_from_before_a_reboot_is_void_but_its_token_counts(
    store: FileLeaseStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot_id = tmp_path / "boot_id"
    store.save(lead(store, "a", now=1_000_000.0), b"record")
    boot_id.write_text("another boot\n")
    monkeypatch.setattr("hotswap.coordinator.file_lease._BOOT_ID", boot_id)
    with closing(FileLeaseStore(tmp_path)) as after:
        assert after.holder(now=5.0) is None
        lease = lead(after, "b", now=5.0)
        # the former leader's clock says nothing about this one
        assert (lease.token, lease.unled_since_s) == (2, None)
        assert after.load() == b"record"


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip_one_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def write_text(path: Path) -> None:
    path.write_text("token: 1\n")


@pytest.mark.parametrize("damage", [truncate, empty, flip_one_bit, write_text])
def test_a_damaged_lease_is_refused_by_name_and_never_taken_for_none(
    store: FileLeaseStore, tmp_path: Path, damage: object
) -> None:
    lease = lead(store, "a", now=10.0)
    path = newest(tmp_path)
    assert callable(damage)
    damage(path)
    for call in (
        lambda: store.holder(now=20.0),
        lambda: store.acquire(name="b", ttl_s=TTL_S, now=20.0),
        lambda: store.renew(lease, now=10.1),
        lambda: store.save(lease, b""),
        store.load,
    ):
        with pytest.raises(LeaseDamaged, match=path.name):
            call()


def test_a_directory_that_has_gone_is_an_error_and_no_free_lease(
    store: FileLeaseStore, tmp_path: Path
) -> None:
    for path in tmp_path.iterdir():
        path.unlink()
    tmp_path.rmdir()
    with pytest.raises(LeaseDamaged, match="cannot be read"):
        store.holder(now=10.0)
    tmp_path.mkdir()


def test_a_full_disk_changes_nothing(
    store: FileLeaseStore, other: FileLeaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = lead(store, "a", now=10.0)
    store.save(lease, b"before")

    def refuse(*_arguments: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("tempfile.mkstemp", refuse)
        with pytest.raises(StateUnwritable, match="make room"):
            store.save(lease, b"after")
        with pytest.raises(StateUnwritable, match="make room"):
            store.renew(lease, now=10.1)
    assert other.load() == b"before"
    assert store.renew(lease, now=10.2).token == 1


def test_leftovers_of_killed_processes_disturb_nobody(
    store: FileLeaseStore, tmp_path: Path
) -> None:
    for name in (".lease-x.tmp", "lease-", "lease-draft", "alive-1-0000"):
        (tmp_path / name).write_bytes(b"half")
    assert lead(store, "a", now=10.0).token == 1


def test_old_versions_are_removed(store: FileLeaseStore, tmp_path: Path) -> None:
    lease = lead(store, "a", now=0.0)
    for tenth in range(1, 100):
        lease = store.renew(lease, now=tenth / 10)
    assert len(list(tmp_path.glob("lease-*"))) == KEPT
    assert len(list(tmp_path.iterdir())) == KEPT + 1


def test_a_leader_frozen_within_a_save_is_fenced_when_it_goes_on(
    store: FileLeaseStore, other: FileLeaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read the state and written its file when others lead on, past the versions kept."""
    lease = lead(store, "a", now=10.0)
    link = store._file._link

    def freeze_first(version: int, value: bytes) -> bool:
        monkeypatch.setattr(store._file, "_link", link)
        held = lead(other, "b", now=20.0)
        for each in range(KEPT * 2):
            other.save(held, f"record {each}".encode())
        return link(version, value)

    monkeypatch.setattr(store._file, "_link", freeze_first)
    with pytest.raises(FencedOff, match="b has led since"):
        store.save(lease, b"late")
    assert other.load() == f"record {KEPT * 2 - 1}".encode()


def test_a_candidate_frozen_within_its_attempt_leads_only_if_nobody_else_does(
    store: FileLeaseStore, other: FileLeaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = store._file._link

    def freeze_first(version: int, value: bytes) -> bool:
        lead(other, "b", now=10.0)
        return link(version, value)

    monkeypatch.setattr(store._file, "_link", freeze_first)
    assert store.acquire(name="a", ttl_s=TTL_S, now=10.0) is None
    assert other.holder(now=10.1) is not None

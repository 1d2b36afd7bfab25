"""A lease store for the coordinators of one machine: a directory of small files.

Times are those of CLOCK_MONOTONIC, which all processes of a machine share and which starts anew
with it: a lease from before is void, the token and the record stay.

A leader that dies is replaced without waiting for its lease to expire: it keeps a lock (flock) on a
file of its own for as long as it lives, which the kernel lets go when it's gone, however it went. A
leader that is frozen keeps that lock; its lease expires.
"""

import fcntl
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from hotswap.coordinator import lease_state
from hotswap.coordinator.lease import Lease
from hotswap.coordinator.lease_state import NOBODY, LeaseState
from hotswap.coordinator.versioned_file import VersionedFile
from hotswap.errors import FencedOff, LeaseDamaged, StateUnwritable

#: Attempts to replace the state. Each one fails only because another process has replaced it.
ATTEMPTS_MAX: Final = 64

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_MODE_OWNER_ONLY: Final = 0o600


class _Stored(msgspec.Struct, frozen=True, kw_only=True):
    """The state, and what only this kind of store has to know about it."""

    state: LeaseState = NOBODY
    # boot of the machine in which the tenure was written
    boot_id: str = ""
    # name of the file that the leader locks for as long as it lives
    alive: str | None = None


class FileLeaseStore:
    """Implements `hotswap.coordinator.lease.LeaseStore` for the processes of one machine.

    The directory belongs to one job and must be on a local file system.
    """

    def __init__(self, directory: Path) -> None:
        """Keep everything in ``directory``, which is made if missing.

        Raises:
            OSError: it can't be made.

        """
        directory.mkdir(exist_ok=True, mode=0o700)
        self._directory = directory
        self._file = VersionedFile(directory, stem="lease")
        self._boot_id = _BOOT_ID.read_text(encoding="ascii").strip()
        # descriptor that holds the lock of this store's own lease
        self._alive: int | None = None

    def acquire(self, *, name: str, ttl_s: float, now: float) -> Lease | None:
        """See `LeaseStore.acquire`."""
        version, stored = self._read()
        if lease_state.holder(stored.state, now=now) is not None:
            return None
        alive = f"alive-{stored.state.token + 1}-{secrets.token_hex(4)}"
        descriptor = self._lock(alive)
        state = lease_state.acquired(stored.state, name=name, ttl_s=ttl_s, now=now)
        if not self._replace(version, state, alive=alive):
            os.close(descriptor)
            self._forget(alive)
            return None
        if stored.alive is not None:
            self._forget(stored.alive)
        self._let_go()
        self._alive = descriptor
        return lease_state.holder(state, now=now)

    def renew(self, lease: Lease, *, now: float) -> Lease:
        """See `LeaseStore.renew`."""
        state = self._change(lease, lambda state: lease_state.renewed(state, lease, now=now))
        renewed = lease_state.holder(state, now=now)
        assert renewed is not None, "a lease that has just been renewed is valid"
        return renewed

    def release(self, lease: Lease) -> None:
        """See `LeaseStore.release`."""
        self._change(lease, lambda state: lease_state.released(state, lease))
        self._let_go()

    def holder(self, *, now: float) -> Lease | None:
        """See `LeaseStore.holder`."""
        return lease_state.holder(self._read()[1].state, now=now)

    def load(self) -> bytes | None:
        """See `LeaseStore.load`."""
        return self._read()[1].state.record

    def save(self, lease: Lease, record: bytes) -> None:
        """See `LeaseStore.save`."""
        self._change(lease, lambda state: lease_state.saved(state, lease, record))

    def close(self) -> None:
        """Stop for good; a lease that is still held is over, as if its holder had died."""
        self._let_go()

    def _change(self, lease: Lease, change: Callable[[LeaseState], LeaseState]) -> LeaseState:
        """Replace the state by what ``change`` makes of it, however often it has to look again."""
        for _ in range(ATTEMPTS_MAX):
            version, stored = self._read()
            state = change(stored.state)
            if state is stored.state or self._replace(version, state, alive=stored.alive):
                return state
        raise FencedOff(
            f"{lease.name} could not change the lease in {ATTEMPTS_MAX} attempts, as other "
            "coordinators did all the time; stop acting"
        )

    def _read(self) -> tuple[int, _Stored]:
        """Return the state, without a tenure that can't be running any more."""
        version, value = self._file.read()
        if value is None:
            return version, _Stored()
        try:
            stored = msgspec.msgpack.decode(value, type=_Stored)
        except msgspec.DecodeError as error:
            raise LeaseDamaged(
                f"{self._directory} holds a lease of another version of hotswap ({error}): run one "
                "version for the whole of a job"
            ) from error
        state = stored.state
        if stored.boot_id != self._boot_id:
            state = msgspec.structs.replace(state, tenure=None)
        elif self._is_dead(stored):
            state = _over(state)
        return version, msgspec.structs.replace(stored, state=state)

    def _replace(self, version: int, state: LeaseState, *, alive: str | None) -> bool:
        stored = _Stored(state=state, boot_id=self._boot_id, alive=alive)
        return self._file.replace(version=version, value=msgspec.msgpack.encode(stored))

    def _is_dead(self, stored: _Stored) -> bool:
        """Whether the leader's process is certainly gone."""
        if stored.alive is None:
            return False
        try:
            descriptor = os.open(self._directory / stored.alive, os.O_RDONLY)
        except OSError:
            return False  # it can't be told, so the expiry decides
        try:
            # shared, so that two who look at the same time don't take each other for the leader
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(descriptor)
        return True

    def _lock(self, alive: str) -> int:
        """Lock a file that is this store's alone."""
        try:
            descriptor = os.open(
                self._directory / alive, os.O_RDWR | os.O_CREAT | os.O_EXCL, _MODE_OWNER_ONLY
            )
        except OSError as error:
            raise StateUnwritable(
                f"{self._directory} cannot be written ({error.strerror}): make room"
            ) from error
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor

    def _let_go(self) -> None:
        """Give up the lock of a lease that is over."""
        if self._alive is not None:
            os.close(self._alive)
            self._alive = None

    def _forget(self, alive: str) -> None:
        (self._directory / alive).unlink(missing_ok=True)


def _over(state: LeaseState) -> LeaseState:
    """Return the state in which the tenure is over, as if it had been released."""
    if state.tenure is None:
        return state
    return msgspec.structs.replace(
        state, tenure=msgspec.structs.replace(state.tenure, released=True)
    )

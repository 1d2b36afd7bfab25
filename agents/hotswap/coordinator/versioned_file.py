"""One value that several processes of a machine replace in turn, by compare and swap.

The value lies in numbered files of a directory, of which the highest counts::

    lease-000000000041
    lease-000000000042      the present value

To replace version 42, a process writes a file of its own and links it to the name of version 43,
which fails if that exists already: link(2) is the compare and swap. So a process holds no lock, and
one that is frozen anywhere in the middle holds up nobody. The last `KEPT` versions stay.

The bytes survive the death of every process. They aren't synced to the disk: after a power cut no
process of the job is left whom they could concern.
"""

import os
import struct
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from hotswap.errors import LeaseDamaged, StateUnwritable

#: Versions that are left in the directory, so that readers find what they have just listed.
KEPT: Final = 16
#: Reading again because the version was removed meanwhile: each time, others have made progress.
_READS_MAX: Final = 64

_SEAL: Final = struct.Struct(">4sI")
_MAGIC: Final = b"HSLS"
_DIGITS: Final = 12


class Versioned(NamedTuple):
    """A value and its version; version 0 is the time before the first value."""

    version: int
    value: bytes | None


class VersionedFile:
    """A value in numbered files called ``stem-VERSION``."""

    def __init__(self, directory: Path, *, stem: str) -> None:
        """Keep the value in ``directory``, which has to exist."""
        self._directory = directory
        self._prefix = f"{stem}-"

    def read(self) -> Versioned:
        """Return the present value.

        Raises:
            LeaseDamaged: its file is not as it was written, or the directory is gone.

        """
        try:
            for _ in range(_READS_MAX):
                version = max(self._versions(), default=0)
                if version == 0:
                    return Versioned(0, None)
                path = self._path(version)
                with suppress(FileNotFoundError):  # there is a much newer one by now
                    return Versioned(version, _unseal(path, path.read_bytes()))
        except OSError as error:
            raise LeaseDamaged(
                f"{self._directory} cannot be read ({error.strerror}), so nobody can tell who "
                "leads the job; see what became of it"
            ) from error
        raise LeaseDamaged(
            f"{self._directory} changes faster than it can be read: look who does it"
        )

    def replace(self, *, version: int, value: bytes) -> bool:
        """Make ``value`` the version after ``version``; False: another process was faster.

        Raises:
            StateUnwritable: there is no room, or no permission; the value is as it was.

        """
        try:
            if not self._link(version + 1, value):
                return False
            versions = self._versions()
            # Frozen before it linked, this process may have used a number that others had used and
            # removed in the meantime. Then versions far above it are there.
            overtaken = max(versions) > version + KEPT // 2
            for old in versions:
                if old <= max(versions) - KEPT:
                    self._path(old).unlink(missing_ok=True)
        except OSError as error:
            raise StateUnwritable(
                f"{self._directory} cannot be written ({error.strerror}): make room; what it held "
                "before is intact"
            ) from error
        return not overtaken

    def _link(self, version: int, value: bytes) -> bool:
        """Publish a version whole or not at all; False: it exists."""
        descriptor, temporary = tempfile.mkstemp(dir=self._directory, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_SEAL.pack(_MAGIC, zlib.crc32(value)) + value)
            os.link(temporary, self._path(version))
        except FileExistsError:
            return False
        finally:
            Path(temporary).unlink(missing_ok=True)
        return True

    def _versions(self) -> list[int]:
        names = os.listdir(self._directory)  # noqa: PTH208 - called 20 times a second, and faster
        digits = [
            name.removeprefix(self._prefix) for name in names if name.startswith(self._prefix)
        ]
        return [int(each) for each in digits if each.isdigit()]

    def _path(self, version: int) -> Path:
        return self._directory / f"{self._prefix}{version:0{_DIGITS}d}"


def _unseal(path: Path, sealed: bytes) -> bytes:
    value = sealed[_SEAL.size :]
    if sealed[: _SEAL.size] != _SEAL.pack(_MAGIC, zlib.crc32(value)):
        raise LeaseDamaged(
            f"{path} is not as it was written, so nobody can tell who leads the job: it goes on "
            "training, but can neither swap nor recover until it is started anew; see what wrote "
            "to that file"
        )
    return value

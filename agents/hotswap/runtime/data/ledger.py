"""The ledger of consumed samples: who read what, in which step, in which epoch.

One file for each (rank, owner), one JSON line for each committed step::

    {"epoch":1,"step":17,"rank":3,"sample_ids":[801,17,5]}

A file is written by one process alone. A line is in the system's hands when ``append`` returns:
it survives the death of the process, and of the machine once ``close`` has returned.
"""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import msgspec

from hotswap.errors import LedgerUnreadable, LedgerUnwritable
from hotswap.limits import Limits

_FILE_PATTERN: Final = "rank-*.jsonl"
_OWNER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class LedgerRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The samples that one rank consumed in one committed step."""

    # epoch in which the step was committed
    epoch: int
    # index of the step
    step: int
    # rank that consumed the samples
    rank: int
    # samples in the order of reading, all micro-batches
    sample_ids: tuple[int, ...]


class LedgerWriter:
    """Appends to the file of one rank as long as one process owns the rank.

    An owner that comes back to its file goes on at its end; half a line there, from a death in
    mid-write, is cut off first.

    Args:
        directory: the job's ledger; made if it is not there.
        rank: the rank owned.
        owner: name of the process, unique in the job and never used again.
        limits: ``ledger_record_nbytes_max`` is used.

    Raises:
        LedgerUnwritable: the file can't be opened, or ``owner`` can't be part of its name.
    """

    def __init__(
        self, *, directory: Path, rank: int, owner: str, limits: Limits | None = None
    ) -> None:
        if not _OWNER.fullmatch(owner):
            raise LedgerUnwritable(
                f"{owner!r} can't be part of a file's name: use letters, digits, '.', '_', '-'"
            )
        self.path = directory / f"rank-{rank:05d}.{owner}.jsonl"
        self._appended = False
        self._record_nbytes_max = (limits or Limits()).ledger_record_nbytes_max
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._nbytes = _cut_torn_line(self.path, self._record_nbytes_max)
            # unbuffered: what is written is out of this process's memory
            self._file: IO[bytes] = self.path.open("ab", buffering=0)
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def append(self, *, epoch: int, step: int, rank: int, sample_ids: tuple[int, ...]) -> None:
        """Record one committed step.

        If the record can't be written whole, the file stays as it was: after room has been made,
        the call may be repeated.

        Raises:
            LedgerUnwritable: the disk is full, the file is gone, or the record is too long.
        """
        record = LedgerRecord(epoch=epoch, step=step, rank=rank, sample_ids=sample_ids)
        line = msgspec.json.encode(record) + b"\n"
        if len(line) > self._record_nbytes_max:
            raise LedgerUnwritable(
                f"step {step} has {len(sample_ids)} samples: its record would be {len(line)}"
                f" bytes, the limit `ledger_record_nbytes_max` is {self._record_nbytes_max}"
            )
        self._appended = True
        try:
            _write_all(self._file, line)
        except (OSError, ValueError) as error:
            self._cut_back()
            raise _unwritable(self.path, error) from error
        self._nbytes += len(line)

    def close(self) -> None:
        """Bring the file to the disk and close it; idempotent.

        Raises:
            LedgerUnwritable: the disk refuses.
        """
        if self._file.closed:
            return
        try:
            # Nothing to wait for where a standby has prepared a rank and was given another one.
            if self._appended:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise _unwritable(self.path, error) from error
        finally:
            self._file.close()

    def _cut_back(self) -> None:
        """Take half a record off the file again."""
        # what can't be cut is a torn line: a reader tells it from a record
        with suppress(OSError, ValueError):
            os.ftruncate(self._file.fileno(), self._nbytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerContents:
    """Everything that a ledger's files say."""

    # every whole record, file by file, in the order of writing
    records: tuple[LedgerRecord, ...]
    # files whose last line is torn: their process died, or its disk filled up, in mid-write
    torn: tuple[Path, ...]


def read_ledger(*, directory: Path, limits: Limits | None = None) -> LedgerContents:
    """Read every file of a ledger.

    Raises:
        LedgerUnreadable: there is no such directory, or a line other than a torn last one is
            not a record; the message names file and line.
    """
    if not directory.is_dir():
        raise LedgerUnreadable(f"{directory} is not a directory: name the job's ledger")
    record_nbytes_max = (limits or Limits()).ledger_record_nbytes_max
    records: list[LedgerRecord] = []
    torn = tuple(
        path
        for path in sorted(directory.glob(_FILE_PATTERN))
        if not _read_file(path, records, record_nbytes_max)
    )
    return LedgerContents(records=tuple(records), torn=torn)


def _read_file(path: Path, records: list[LedgerRecord], record_nbytes_max: int) -> bool:
    """Add a file's records; tell whether its last line is whole."""
    decoder = msgspec.json.Decoder(LedgerRecord)
    with path.open("rb") as file:
        number = 0
        while line := file.readline(record_nbytes_max + 1):
            number += 1
            if not line.endswith(b"\n") and len(line) <= record_nbytes_max:
                return False
            try:
                records.append(decoder.decode(line))
            except msgspec.DecodeError as error:
                raise LedgerUnreadable(
                    f"{path}, line {number} is not a record ({error}): keep the file as it is,"
                    " and compare it with the job's checkpoints"
                ) from error
    return True


def _write_all(file: IO[bytes], line: bytes) -> None:
    """Write a whole line; a nearly full disk takes a part of it first."""
    rest = memoryview(line)
    while rest:
        rest = rest[file.write(rest) :]


def _cut_torn_line(path: Path, record_nbytes_max: int) -> int:
    """Cut off a last line without an end; make the file if needed; give its size, bytes."""
    path.touch()
    with path.open("rb+") as file:
        size = os.fstat(file.fileno()).st_size
        start = max(0, size - record_nbytes_max)
        file.seek(start)
        tail = file.read(size - start)
        nbytes = start + tail.rfind(b"\n") + 1
        if nbytes == start > 0:
            raise OSError("it ends with something that is no record")
        if nbytes != size:
            file.truncate(nbytes)
    return nbytes


def _unwritable(path: Path, error: Exception) -> LedgerUnwritable:
    """Say what to do about a file that can't be written."""
    return LedgerUnwritable(
        f"{path} can't be written ({error}): make room on the disk, or give the job a directory"
        " that it may write to. Without the record, nothing proves which samples were consumed"
    )

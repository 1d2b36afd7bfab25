"""What happened to a job, one JSON object per line: a file for people and programs to read later.

``JOB/events.jsonl`` holds the latest; when it outgrows its limit it becomes ``events.1.jsonl``, in
place of the one before. Several coordinators lead one after the other and append to one file.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
import structlog

from hotswap.limits import Limits
from hotswap.wire.messages import Notice

_log = structlog.get_logger()

NAME: Final = "events.jsonl"
FORMER_NAME: Final = "events.1.jsonl"


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the file."""

    # wall clock, ISO 8601 with offset
    at: str
    # CLOCK_MONOTONIC, s: comparable with what members of the same machine report
    monotonic_s: float
    # coordinator that wrote it, and the fencing token under which it led
    leader: str
    token: int
    kind: str
    epoch: int
    step: int | None = None
    rank: int | None = None
    member: str | None = None
    text: str = ""
    # JSON has no NaN and no infinity: such a value is null
    values: Mapping[str, float | None] = {}


class EventLog:
    """Appends a leader's events. A disk that can't be written costs events, not the job."""

    def __init__(self, job_directory: Path, *, leader: str, token: int, limits: Limits) -> None:
        """Append as ``leader``, under its fencing token."""
        self._directory = job_directory
        self._leader = leader
        self._token = token
        self._nbytes_max = limits.events_nbytes_max // 2
        self._file: BinaryIO | None = None
        self._lost = 0

    @property
    def lost(self) -> int:
        """Events that could not be written."""
        return self._lost

    def append(self, notice: Notice, *, monotonic_s: float) -> None:
        """Append what ``notice`` tells."""
        event = Event(
            at=datetime.now(UTC).isoformat(),
            monotonic_s=monotonic_s,
            leader=self._leader,
            token=self._token,
            kind=notice.kind,
            epoch=notice.epoch,
            step=notice.step,
            rank=notice.rank,
            member=notice.member,
            text=notice.text,
            values=notice.values,
        )
        try:
            self._write(msgspec.json.encode(event) + b"\n")
        except OSError as error:
            if not self._lost:
                _log.warning("events_unwritable", directory=str(self._directory), detail=str(error))
            self._lost += 1

    def close(self) -> None:
        """Close the file; a later ``append`` opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, line: bytes) -> None:
        if self._file is None:
            # unbuffered: a line is in the file as soon as it is written, or not at all
            self._file = (self._directory / NAME).open("ab", buffering=0)
        if self._file.tell() + len(line) > self._nbytes_max:
            self.close()
            (self._directory / NAME).replace(self._directory / FORMER_NAME)
            self._file = (self._directory / NAME).open("ab", buffering=0)
        self._file.write(line)

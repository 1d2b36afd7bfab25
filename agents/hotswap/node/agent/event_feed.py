"""The events of a job from where the plane has them on, as numbered notices.

The number of a line is its place among all lines of the job's events since its run began, over both
files that `hotswap.coordinator.event_log` writes: every agent that reads them counts alike. Nothing
is kept in memory: what the plane has not taken in is read again.
"""

import hashlib
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from hotswap.coordinator.event_log import FORMER_NAME, NAME, Event
from hotswap.wire.plane import NoticeReport

#: Bytes that are read at once.
READ_NBYTES_MAX: Final = 1 << 20
#: Longest first line, by which a file is known.
_FIRST_LINE_NBYTES_MAX: Final = 1 << 16
_DIGITS: Final = 16


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """How far the events were taken in."""

    # the numbering of ``line``; "": nothing was read yet
    stream: str = ""
    # number of the next line
    line: int = 0
    # digest of the first line of the file that the next line is in; "": none was read yet
    file: str = ""
    # where in that file the next line begins
    nbytes: int = 0
    # highest fencing token of an event so far
    token: int = 0


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Events that follow a position."""

    notices: tuple[NoticeReport, ...]
    # where to go on once they are taken in
    after: Position


def read_events(job_directory: Path, position: Position, *, stream: str, notices_max: int) -> Batch:
    """Read what follows ``position``; never waits.

    Args:
        job_directory: where the leaders write.
        position: what was taken in so far.
        stream: name of the numbering that begins with the run of the job.
        notices_max: so many at most.

    What a leader has said after a later one has spoken has a number and is left out: it led no
    more, without knowing it.
    """
    with ExitStack() as stack:
        files = _open(job_directory, stack)
        names = [name for name, _ in files]
        if files and position.file not in names:
            # what was before the first of them, if anything, can't be counted any more
            certain = not position.file and len(files) == 1
            numbering = stream if certain else f"{stream}-{names[0]}"
            position = Position(stream=numbering, file=names[0], token=position.token)
        notices: list[NoticeReport] = []
        for name, file in files[names.index(position.file) if files else 0 :]:
            if name != position.file:
                position = msgspec.structs.replace(position, file=name, nbytes=0)
            position = _follow(file, position, notices, notices_max)
            if len(notices) >= notices_max:
                break
    return Batch(notices=tuple(notices), after=position)


def stream_of(key: bytes) -> str:
    """Return the name of a run's numbering: its secret is another one for each run."""
    return hashlib.blake2b(key, person=b"hotswap stream").hexdigest()[:_DIGITS]


def _open(job_directory: Path, stack: ExitStack) -> list[tuple[str, BinaryIO]]:
    """Open the older and the newer file, those that are there and have a whole line.

    The newer one first: if it becomes the older one in between, it is opened twice, and none is
    missed.
    """
    found: dict[str, BinaryIO] = {}
    for name in (NAME, FORMER_NAME):
        try:
            file = stack.enter_context((job_directory / name).open("rb"))
        except FileNotFoundError:
            continue
        identity = _identity(file)
        if identity is not None:
            found.setdefault(identity, file)
    return list(reversed(found.items()))


def _follow(
    file: BinaryIO, position: Position, notices: list[NoticeReport], notices_max: int
) -> Position:
    """Read on in one file, as far as there is something and room for it."""
    while len(notices) < notices_max:
        file.seek(position.nbytes)
        *lines, _ = file.read(READ_NBYTES_MAX).split(b"\n")
        if not lines:
            break
        position = _take(lines, position, notices, notices_max)
    return position


def _take(
    lines: Iterable[bytes], position: Position, notices: list[NoticeReport], notices_max: int
) -> Position:
    """Turn whole lines into notices, as many as there is room for."""
    number, nbytes, token = position.line, position.nbytes, position.token
    for line in lines:
        if len(notices) >= notices_max:
            break
        event = _decode(line)
        if event is not None and event.token >= token:
            token = event.token
            notices.append(_notice(event, number))
        number += 1
        nbytes += len(line) + 1
    return msgspec.structs.replace(position, line=number, nbytes=nbytes, token=token)


def _decode(line: bytes) -> Event | None:
    """Return an event; None: half a line, of a leader that died in mid-write."""
    try:
        return _DECODER.decode(line)
    except msgspec.DecodeError:
        return None


def _notice(event: Event, offset: int) -> NoticeReport:
    return NoticeReport(
        offset=offset,
        at=event.at,
        monotonic_s=event.monotonic_s,
        leader=event.leader,
        token=event.token,
        kind=event.kind,
        epoch=event.epoch,
        step=event.step,
        rank=event.rank,
        member=event.member,
        text=event.text,
        values=event.values,
    )


def _identity(file: BinaryIO) -> str | None:
    """Return what a file is known by; None: it has no whole line yet."""
    line = file.readline(_FIRST_LINE_NBYTES_MAX)
    if not line.endswith(b"\n"):
        return None
    return hashlib.blake2b(line).hexdigest()[:_DIGITS]


_DECODER: Final = msgspec.json.Decoder(Event)

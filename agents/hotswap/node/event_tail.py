"""What the leaders write down, read as it is written: nothing is missed while the leader changes.

Notices on a connection end with it, and the next leader has spoken before anybody has found it. The
file of events in the job's directory has them all, in order, whoever led.
"""

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from hotswap.coordinator.event_log import NAME, Event
from hotswap.wire.messages import Notice

_decoder = msgspec.json.Decoder(Event)


def notice_of(event: Event) -> Notice:
    """Give what a line of the file says as the notice that it was; null becomes NaN again."""
    return Notice(
        kind=event.kind,
        epoch=event.epoch,
        step=event.step,
        rank=event.rank,
        member=event.member,
        text=event.text,
        values={name: math.nan if value is None else value for name, value in event.values.items()},
    )


class EventTail:
    """Reads ``events.jsonl`` of a job from its beginning, as often as ``read`` is called.

    What a leader says after a later one has spoken is passed over: it leads no more, without
    knowing it.
    """

    def __init__(self, job_directory: Path) -> None:
        """Prepare; the file need not exist yet."""
        self._path = job_directory / NAME
        self._file: BinaryIO | None = None
        self._rest = b""
        self._token = 0

    def read(self) -> Iterator[Event]:
        """Give what was written since the last call; never waits."""
        if self._file is None:
            with suppress(FileNotFoundError):
                self._file = self._path.open("rb")
        if self._file is None:
            return
        # asked before reading: what is written to the former file after that is not missed
        moved = self._was_moved(self._file)
        yield from self._lines(self._file)
        if moved:
            self.close()
            yield from self.read()

    def close(self) -> None:
        """Close the file; a later ``read`` begins the next one."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._rest = b""

    def _was_moved(self, file: BinaryIO) -> bool:
        """Whether a leader has begun another file, as this one was full."""
        try:
            return self._path.stat().st_ino != os.fstat(file.fileno()).st_ino
        except FileNotFoundError:
            return False  # it is being moved at this moment

    def _lines(self, file: BinaryIO) -> Iterator[Event]:
        *lines, self._rest = (self._rest + file.read()).split(b"\n")
        for line in lines:
            with suppress(msgspec.DecodeError):  # half a line, of a leader that died in mid-write
                event = _decoder.decode(line)
                if event.token >= self._token:
                    self._token = event.token
                    yield event

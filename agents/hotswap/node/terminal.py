"""Where the progress of a job goes: a terminal, a plain stream, or a program. Thin shells."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TextIO

import msgspec

from hotswap.node.progress import event_line, fit, living_line
from hotswap.node.view import JobView
from hotswap.wire.messages import Notice

_START_OF_LINE, _CLEAR_LINE = "\r", "\x1b[2K"


class Moment(NamedTuple):
    """When something happened."""

    # wall clock, s since 1970
    unix_s: float
    # CLOCK_MONOTONIC, s: comparable between the processes of one machine
    monotonic_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the launcher itself has to tell."""

    # for programs
    kind: str
    # for people; empty where it is of no interest to them
    text: str = ""
    # process that it is about
    member: str | None = None
    values: dict[str, float] = field(default_factory=dict)


class Display(Protocol):
    """Shows one job. Called from one thread, in the order in which things happened.

    1. ``notice`` for each notice, with the view into which it is already folded;
    2. ``say`` for what the launcher itself has to tell, at any time;
    3. ``refresh`` when the view has changed without a notice;
    4. ``close`` once, at the end.
    """

    def notice(self, notice: Notice, view: JobView, at: Moment) -> None:
        """Show what the leader told at that moment."""

    def say(self, said: Said) -> None:
        """Show what the launcher tells."""

    def refresh(self, view: JobView) -> None:
        """Show the job as it is now."""

    def close(self) -> None:
        """Leave the stream in order."""


class _Output:
    """A stream whose reader may go away: the job goes on without one."""

    def __init__(self, stream: TextIO) -> None:
        self._stream: TextIO | None = stream

    def write(self, text: str) -> None:
        """Write at once, or not at all."""
        if self._stream is None:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except BrokenPipeError:
            self._stream = None


class LivingLine:
    """A terminal: events scroll by, and the last line is the job as it is now."""

    def __init__(self, stream: TextIO) -> None:
        """Write to ``stream``, which is a terminal."""
        self._output = _Output(stream)
        self._line = ""

    def notice(self, notice: Notice, view: JobView, at: Moment) -> None:
        """Print an event above the living line."""
        del at
        text = event_line(notice)
        if text is not None:
            self._print(text)
        self.refresh(view)

    def say(self, said: Said) -> None:
        """Print above the living line, if it is for people."""
        if said.text:
            self._print(said.text)

    def refresh(self, view: JobView) -> None:
        """Draw the living line again, if it has changed."""
        columns = shutil.get_terminal_size().columns
        line = fit(living_line(view), columns - 1)
        if line != self._line:
            self._line = line
            self._draw()

    def close(self) -> None:
        """Leave the last state of the job on the screen."""
        if self._line:
            self._output.write("\n")

    def _print(self, text: str) -> None:
        self._output.write(f"{_START_OF_LINE}{_CLEAR_LINE}{text}\n")
        self._draw()

    def _draw(self) -> None:
        if self._line:
            self._output.write(f"{_START_OF_LINE}{_CLEAR_LINE}{self._line}")


class PlainLines:
    """A file or a pipe: events at once, progress at a bounded rate."""

    def __init__(self, stream: TextIO, *, every_s: float, now: Callable[[], Moment]) -> None:
        """Write to ``stream``, a line of progress every ``every_s`` at most."""
        self._output = _Output(stream)
        self._every_s = every_s
        self._now = now
        self._next_s = now().monotonic_s
        self._line = ""

    def notice(self, notice: Notice, view: JobView, at: Moment) -> None:
        """Print an event."""
        del at
        text = event_line(notice)
        if text is not None:
            self._print(text)
        self.refresh(view)

    def say(self, said: Said) -> None:
        """Print one line, if it is for people."""
        if said.text:
            self._print(said.text)

    def refresh(self, view: JobView) -> None:
        """Print the progress, if it has changed and the last line is old enough."""
        line, now = living_line(view), self._now().monotonic_s
        if view.committed is not None and line != self._line and now >= self._next_s:
            self._line, self._next_s = line, now + self._every_s
            self._print(line)

    def close(self) -> None:
        """Leave nothing open: the stream is the caller's."""

    def _print(self, text: str) -> None:
        self._output.write(f"{text}\n")


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``--json``: every key is always there, null is unknown."""

    # see `Moment`
    at_unix_s: float
    at_monotonic_s: float
    # a kind of Notice, or one of the launcher's own
    kind: str
    epoch: int | None = None
    step: int | None = None
    rank: int | None = None
    member: str | None = None
    text: str = ""
    values: dict[str, float] = {}


class JsonLines:
    """For programs: one JSON object per line, nothing else."""

    def __init__(self, stream: TextIO, *, now: Callable[[], Moment]) -> None:
        """Write to ``stream``; ``now`` is for what the launcher says."""
        self._output = _Output(stream)
        self._now = now

    def notice(self, notice: Notice, view: JobView, at: Moment) -> None:
        """Write a notice as it is."""
        del view
        self._write(
            Event(
                at_unix_s=at.unix_s,
                at_monotonic_s=at.monotonic_s,
                kind=notice.kind,
                # epochs are counted from 1: 0 says that there is none yet
                epoch=notice.epoch or None,
                step=notice.step,
                rank=notice.rank,
                member=notice.member,
                text=notice.text,
                values=notice.values,
            )
        )

    def say(self, said: Said) -> None:
        """Write an event of the launcher's own."""
        now = self._now()
        self._write(
            Event(
                at_unix_s=now.unix_s,
                at_monotonic_s=now.monotonic_s,
                kind=said.kind,
                member=said.member,
                text=said.text,
                values=said.values,
            )
        )

    def refresh(self, view: JobView) -> None:
        """Write nothing: a program folds the notices itself."""

    def close(self) -> None:
        """Leave nothing open: the stream is the caller's."""

    def _write(self, event: Event) -> None:
        self._output.write(msgspec.json.encode(event).decode() + "\n")


def choose(
    stream: TextIO,
    *,
    json: bool,
    every_s: float,
    now: Callable[[], Moment],
) -> Display:
    """Choose the display that fits a stream."""
    if json:
        return JsonLines(stream, now=now)
    if stream.isatty():
        return LivingLine(stream)
    return PlainLines(stream, every_s=every_s, now=now)

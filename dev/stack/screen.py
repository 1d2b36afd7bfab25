"""What a person sees while a stack starts: what is going on, since when, and what it says."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing import TextIO

#: Longest line that is drawn over the last one: a narrow terminal would wrap it.
LINE_LETTERS_MAX = 78


class Screen(Protocol):
    """Where progress is shown."""

    def begin(self, what: str) -> None:
        """Show that something has begun."""

    def detail(self, text: str) -> None:
        """Show what that something says at the moment."""

    def end(self, *, well: bool) -> None:
        """Show that it has ended."""

    def say(self, text: str) -> None:
        """Show a line that stays."""


@dataclass(slots=True, kw_only=True)
class Terminal:
    """Draws over its last line on a terminal; elsewhere a line at each begin and end."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    _what: str = ""
    _since_s: float = 0.0

    def begin(self, what: str) -> None:
        """Show that something has begun."""
        self._what, self._since_s = what, time.monotonic()
        self.detail("")

    def detail(self, text: str) -> None:
        """Draw the last line again; nothing where lines can't be drawn over."""
        if self.out.isatty():
            line = f"  {self._what:<28} {self._elapsed_s():5.1f} s  {text}"
            self.out.write(f"\r\x1b[2K{line[:LINE_LETTERS_MAX]}")
            self.out.flush()

    def end(self, *, well: bool) -> None:
        """Let the line stay, with how long it took."""
        verdict = "" if well else "  failed"
        self.say(f"  {self._what:<28} {self._elapsed_s():5.1f} s{verdict}")

    def say(self, text: str) -> None:
        """Print a line over the one that is drawn."""
        erase = "\r\x1b[2K" if self.out.isatty() else ""
        self.out.write(f"{erase}{text}\n")
        self.out.flush()

    def _elapsed_s(self) -> float:
        return time.monotonic() - self._since_s

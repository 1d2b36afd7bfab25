"""Pauses between attempts that fail: each twice as long as the one before, up to a limit. Pure."""


class Pauses:
    """One series of attempts."""

    def __init__(self, *, first_s: float, longest_s: float) -> None:
        """Begin with a pause of ``first_s``."""
        self._first_s = first_s
        self._longest_s = longest_s
        self._failures = 0

    @property
    def failures(self) -> int:
        """Attempts in a row that have failed."""
        return self._failures

    def next_s(self) -> float:
        """Return how long to wait after one more failure."""
        # beyond 2**30 the limit has long been reached
        pause_s = min(self._first_s * 2.0 ** min(self._failures, 30), self._longest_s)
        self._failures += 1
        return pause_s

    def reset(self) -> None:
        """Note an attempt that has not failed."""
        self._failures = 0

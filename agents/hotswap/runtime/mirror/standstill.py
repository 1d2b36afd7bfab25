"""Keeps what can wait from taking processor time while a rank is taken over."""

import threading
import time


class Standstill:
    """One thread begins and ends it, others wait for its end. It ends by itself after a limit."""

    def __init__(self, *, limit_s: float) -> None:
        """Begin none."""
        self._limit_s = limit_s
        self._until_s = 0.0
        self._changed = threading.Condition()

    @property
    def under_way(self) -> bool:
        """Whether `wait_over` would wait."""
        with self._changed:
            return self._left_s() > 0

    def begin(self) -> None:
        """Let `wait_over` wait from now on."""
        with self._changed:
            self._until_s = time.monotonic() + self._limit_s

    def end(self) -> None:
        """Let everyone go on who waits."""
        with self._changed:
            self._until_s = 0.0
            self._changed.notify_all()

    def wait_over(self) -> None:
        """Return at once when there is none, else at its end, at the latest after its limit."""
        with self._changed:
            while (left_s := self._left_s()) > 0:
                self._changed.wait(left_s)

    def _left_s(self) -> float:
        return self._until_s - time.monotonic()

"""How much of a state is copied at one step boundary, so that steps take hardly longer.

Training waits while a slice is sent. How long that takes depends on the device, the network and on
who else wants the processor, so it is learned from the slices themselves. Everything here is pure:
times come from the caller, on a clock that never goes back.
"""

from dataclasses import dataclass
from typing import Final

#: First slice, from which the pace is learned.
FIRST_NBYTES: Final = 1 << 20


@dataclass(slots=True, kw_only=True)
class CopyPace:
    """Learns from each step and each slice. Not thread-safe."""

    # share of a step's time that a slice may take
    share_max: float
    # largest slice
    nbytes_max: int
    # of the latest slice, bytes per s; None before the first
    _rate: float | None = None
    # of the latest step, from boundary to boundary; None before the first, s
    _step_s: float | None = None
    _left_s: float | None = None

    def arrived(self, now_s: float) -> None:
        """Note that a step has ended: a boundary begins."""
        if self._left_s is not None:
            self._step_s = now_s - self._left_s

    def left(self, now_s: float) -> None:
        """Note that the boundary is over: the next step begins."""
        self._left_s = now_s

    def copied(self, nbytes: int, *, took_s: float) -> None:
        """Note how long a slice took."""
        if nbytes and took_s > 0:
            self._rate = nbytes / took_s

    def budget_nbytes(self) -> int:
        """Return how large the next slice may be."""
        if self._rate is None or self._step_s is None:
            return min(FIRST_NBYTES, self.nbytes_max)
        return min(int(self._rate * self._step_s * self.share_max), self.nbytes_max)

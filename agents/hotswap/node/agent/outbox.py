"""The node's own reports, kept while the plane is away. Pure: bounded, and it counts.

Reports are numbered in the order in which things happened, and the newest goes out first: a node
whose plane was away, or is slow, is not taken for a silent one until all that was kept is told.
What has waited goes out beside it, at a pace of its own: a fleet that was cut off does not come all
at once.
"""

from collections import deque

import msgspec

from hotswap.wire.plane import NodeReport


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """How the node was at one moment."""

    # wall clock, ISO 8601 with offset
    at: str
    node: NodeReport


class Outbox:
    """Samples with the numbers of their reports; the oldest is dropped when there is no room."""

    def __init__(self, *, samples_max: int) -> None:
        """Keep ``samples_max`` samples at most."""
        self._samples: deque[tuple[int, Sample]] = deque(maxlen=samples_max)
        self._dropped = 0
        self._number = 0
        # the newest sample has not been taken out
        self._is_fresh = False

    def __len__(self) -> int:
        return len(self._samples)

    @property
    def dropped(self) -> int:
        """Samples that were given up."""
        return self._dropped

    def number(self) -> int:
        """Return the number of a report about something that happens now."""
        self._number += 1
        return self._number

    def put(self, sample: Sample) -> None:
        """Add the newest sample."""
        if len(self._samples) == self._samples.maxlen:
            self._dropped += 1
        self._samples.append((self.number(), sample))
        self._is_fresh = True

    @property
    def waits(self) -> bool:
        """Whether all that is left are samples that later ones have overtaken."""
        return bool(self._samples) and not self._is_fresh

    def take(self) -> tuple[int, Sample] | None:
        """Take the newest sample out, with its number; whoever takes it is answerable for it."""
        self._is_fresh = False
        return self._samples.pop() if self._samples else None

"""The node's own reports, kept while the plane is away. Pure: a bounded queue that counts."""

from collections import deque

import msgspec

from hotswap.wire.plane import NodeReport


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """How the node was at one moment."""

    # wall clock, ISO 8601 with offset
    at: str
    node: NodeReport


class Outbox:
    """Samples in order; the oldest is dropped when there is no room."""

    def __init__(self, *, samples_max: int) -> None:
        """Keep ``samples_max`` samples at most."""
        self._samples: deque[Sample] = deque(maxlen=samples_max)
        self._dropped = 0

    def __len__(self) -> int:
        return len(self._samples)

    @property
    def dropped(self) -> int:
        """Samples that were given up."""
        return self._dropped

    def put(self, sample: Sample) -> None:
        """Add the newest sample."""
        if len(self._samples) == self._samples.maxlen:
            self._dropped += 1
        self._samples.append(sample)

    def take(self) -> Sample | None:
        """Take the oldest sample out; whoever takes it is answerable for it."""
        return self._samples.popleft() if self._samples else None

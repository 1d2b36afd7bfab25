"""Who reads batches: the port that a loader reads through, and reading in the calling thread."""

from typing import Protocol

from hotswap.runtime.data.feed import BatchRequest
from hotswap.runtime.data.pinning import pinned
from hotswap.runtime.data.reader import BatchReader, Reply


class Readers(Protocol):
    """Answers requests in their order; used by one thread."""

    @property
    def outstanding(self) -> int:
        """Requests without a reply so far."""
        ...

    def start(self) -> None:
        """Be ready for requests; idempotent."""
        ...

    def submit(self, request: BatchRequest) -> None:
        """Take a request."""
        ...

    def receive(self) -> Reply:
        """Give the reply to the oldest outstanding request."""
        ...

    def stop(self) -> None:
        """Forget outstanding requests and end what runs; idempotent."""
        ...


class InlineReaders:
    """Reads in the calling thread, when the reply is asked for.

    Args:
        reader: answers one request.
        pin_memory: copy batches to page-locked memory.
    """

    def __init__(self, *, reader: BatchReader, pin_memory: bool) -> None:
        self._reader = reader
        self._pin_memory = pin_memory
        self._requests: list[BatchRequest] = []

    @property
    def outstanding(self) -> int:
        """Requests without a reply so far."""
        return len(self._requests)

    def start(self) -> None:
        """Do nothing: there is no one to start."""

    def submit(self, request: BatchRequest) -> None:
        """Keep a request."""
        self._requests.append(request)

    def receive(self) -> Reply:
        """Read what the oldest request names."""
        reply = self._reader.read(self._requests.pop(0))
        return pinned(reply) if self._pin_memory else reply

    def stop(self) -> None:
        """Forget the requests."""
        self._requests.clear()

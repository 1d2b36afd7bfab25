"""A group connected for one epoch: an inner torch process group, and how to leave it at once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from hotswap.errors import AbandonTimedOut, EpochLost
from hotswap.runtime.group.work import CarriedWork, FinishedWork

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup


class Transport(Protocol):
    """What connects the members of one group for one epoch: gloo, or NCCL with gloo beside it.

    Call order: ``group`` any number of times, from one thread at a time; then once ``interrupt``,
    from any thread, while calls of ``group`` may be waiting; then once ``close``.
    """

    @property
    def group(self) -> ProcessGroup:
        """The inner process group; its collectives return torch's own handles."""
        ...

    def intact(self) -> bool:
        """Whether every connection still stands. Cheap: no traffic, no wait."""
        ...

    def interrupt(self) -> None:
        """Make every pending collective end, with an error, wherever it waits. Never waits."""
        ...

    def close(self) -> None:
        """Wait for what was pending to end and free every descriptor, thread and buffer.

        When it returns, nothing that arrives can reach a tensor of this process.
        """
        ...


class BoundGroup:
    """Carries collectives over a transport until the epoch ends or is lost."""

    def __init__(
        self, transport: Transport, *, epoch: int, on_failure: Callable[[str], None]
    ) -> None:
        """Use ``transport`` for ``epoch``; ``on_failure`` hears of the first failed collective."""
        self.epoch = epoch
        self._transport: Transport | None = transport
        self._on_failure = on_failure
        self._lost = threading.Event()
        self._failed = threading.Event()

    @property
    def discarding(self) -> bool:
        """Whether the epoch is lost, so that results no longer matter."""
        return self._lost.is_set()

    def failed(self, detail: str) -> None:
        """Note a failed collective; only the first is reported."""
        if not self._failed.is_set():
            self._failed.set()
            self._on_failure(detail)

    def broken(self) -> bool:
        """Whether a collective has failed or a connection is gone."""
        transport = self._transport
        return (
            self._failed.is_set()
            or self._lost.is_set()
            or transport is None
            or not transport.intact()
        )

    def carry(self, collective: str, *arguments: Any, **options: Any) -> CarriedWork | FinishedWork:  # noqa: ANN401 - torch's arguments pass through
        """Start ``collective`` and return its handle; EpochLost once the epoch is lost."""
        transport = self._transport
        if self._lost.is_set() or transport is None:
            message = f"{collective} was not started: epoch {self.epoch} is lost"
            raise EpochLost(message)
        work = getattr(transport.group, collective)(*arguments, **options)
        return CarriedWork(work, self, collective) if work is not None else FinishedWork([])

    def interrupt(self) -> None:
        """Leave the epoch: pending collectives fail, further ones are refused. Never waits."""
        self._lost.set()
        transport = self._transport
        if transport is not None:
            transport.interrupt()

    def close(self, *, timeout_s: float) -> None:
        """Free the transport. The main thread calls it, with no collective under way.

        Raises:
            AbandonTimedOut: a pending collective did not end within ``timeout_s``, so its bytes
                could still reach a live tensor. The process must leave its rank.

        """
        transport, self._transport = self._transport, None
        if transport is None:
            return
        self._lost.set()
        closing = threading.Thread(
            target=transport.close, name=f"hotswap-close-epoch-{self.epoch}", daemon=True
        )
        closing.start()
        closing.join(timeout_s)
        if closing.is_alive():
            raise AbandonTimedOut(self.epoch, timeout_s)

"""One event being handled: the job, the time, and the effects so far."""

from collections.abc import Iterable

import msgspec

from hotswap.coordinator.core.effects import (
    Broadcast,
    Certify,
    Close,
    Effect,
    FindCheckpoint,
    Notify,
    Persist,
    Send,
    StopLeading,
)
from hotswap.coordinator.core.job import Job
from hotswap.coordinator.core.saving import record_of
from hotswap.coordinator.core.swap_record import SwapRecord
from hotswap.wire.messages import Message, Notice


class Turn(msgspec.Struct):
    """Collects effects; what is persisted comes before the messages that depend on it."""

    job: Job
    # coordinator's clock, s
    now: float
    effects: list[Effect] = []

    def send(self, to: str, message: Message) -> None:
        """Send a message to one member or observer."""
        self.effects.append(Send(to=to, message=message))

    def broadcast(self, to: Iterable[str], message: Message) -> None:
        """Send a message to those of ``to`` that are connected."""
        members = self.job.members
        connected = tuple([name for name in to if name in members and members[name].connected])
        if connected:
            self.effects.append(Broadcast(to=connected, message=message))

    def close(self, to: str) -> None:
        """Close a connection."""
        self.effects.append(Close(to=to))

    def persist(self) -> None:
        """Save the job as it is now; once is enough as long as nobody is told anything between."""
        for place in range(len(self.effects) - 1, -1, -1):
            if isinstance(self.effects[place], Persist):
                del self.effects[place]
            elif not isinstance(self.effects[place], Notify):
                break
        self.effects.append(Persist(record=record_of(self.job)))

    def find_checkpoint(self) -> None:
        """Look for a checkpoint that is not known to be bad."""
        self.effects.append(FindCheckpoint(before_step=self.job.checkpoint_before))

    def certify(self, record: SwapRecord) -> None:
        """Write a certificate."""
        self.effects.append(Certify(record=record))

    def stop_leading(self, reason: str) -> None:
        """Act no more."""
        self.job.leading = False
        self.effects.append(StopLeading(reason=reason))

    def notify(
        self,
        kind: str,
        *,
        step: int | None = None,
        rank: int | None = None,
        member: str | None = None,
        text: str = "",
        values: dict[str, float] | None = None,
    ) -> None:
        """Tell whoever watches."""
        notice = Notice(
            kind=kind,
            epoch=self.job.epoch,
            step=step,
            rank=rank,
            member=member,
            text=text,
            values=values or {},
        )
        self.tell(notice)

    def tell(self, notice: Notice) -> None:
        """Tell whoever watches."""
        self.effects.append(Notify(notice=notice))

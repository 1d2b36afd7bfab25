"""What a coordinator learns."""

import msgspec

from hotswap.coordinator.core.record import Record
from hotswap.wire.messages import Message


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Base of everything that `Coordinator.handle` takes."""


class Received(Event, frozen=True, kw_only=True):
    """``message`` came on the connection of ``sender``, in the order in which it was sent."""

    # name from the connection's Hello
    sender: str
    message: Message


class Disconnected(Event, frozen=True, kw_only=True):
    """The connection of the latest Hello of ``sender`` is closed; nothing more comes on it."""

    sender: str


class Tick(Event, frozen=True, kw_only=True):
    """Time has passed. Expected about every ``tick_s``: losses by silence are found by it."""


class CheckpointFound(Event, frozen=True, kw_only=True):
    """Answer to FindCheckpoint: the newest complete checkpoint; None: there is none."""

    step: int | None


class BecameLeader(Event, frozen=True, kw_only=True):
    """This coordinator was elected."""

    # fencing token: higher than that of every leader before
    token: int
    # what the leader before has saved last; None: it is the first
    record: Record | None
    # longest time for which nobody can have been leading, s; None: it is the first leader
    election_s: float | None = None


class SaveRefused(Event, frozen=True, kw_only=True):
    """A Persist was refused: another leads. What stood behind it was not carried out."""

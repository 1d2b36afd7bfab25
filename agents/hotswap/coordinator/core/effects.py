"""What a coordinator's shell has to do, in the order in which the core says it."""

import msgspec

from hotswap.coordinator.core.record import Record
from hotswap.coordinator.core.swap_record import SwapRecord
from hotswap.wire.messages import Message, Notice


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """Base of everything that `Coordinator.handle` returns."""


class Send(Effect, frozen=True, kw_only=True):
    """Send ``message`` on the connection of ``to``; without one it is dropped."""

    to: str
    message: Message


class Broadcast(Effect, frozen=True, kw_only=True):
    """Send one message to each of ``to``; who has no connection is left out."""

    to: tuple[str, ...]
    message: Message


class Close(Effect, frozen=True, kw_only=True):
    """Close the connection of ``to`` after what was sent to it."""

    to: str


class Persist(Effect, frozen=True, kw_only=True):
    """Save ``record`` durably under the leader's token, before what stands behind is done.

    Refused: drop what stands behind and hand in SaveRefused.
    """

    record: Record


class FindCheckpoint(Effect, frozen=True, kw_only=True):
    """Look for the newest complete checkpoint and hand in CheckpointFound."""

    # only checkpoints of earlier steps count; None: all
    before_step: int | None


class Notify(Effect, frozen=True, kw_only=True):
    """Tell every operator and supervisor, and write it down."""

    notice: Notice


class Certify(Effect, frozen=True, kw_only=True):
    """Write the certificate of a swap."""

    record: SwapRecord


class StopLeading(Effect, frozen=True, kw_only=True):
    """Another leads, or may: close every connection and stand for election again."""

    reason: str

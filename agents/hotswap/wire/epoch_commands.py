"""What a leader says of epochs and of who mirrors; see `hotswap.wire.messages`."""

import msgspec

from hotswap.wire.values import Endpoint, Message, Mirroring, Seat


class Start(Message, frozen=True, kw_only=True):
    """Epoch ``epoch`` is in force: bind, bring the state to ``committed``, go."""

    token: int
    epoch: int
    roster: tuple[Seat, ...]
    # steps every rank must have applied before it works in this epoch
    committed: int
    # member whose store serves the rendezvous
    store: Endpoint
    # rank -> members that mirror it
    mirrors: dict[int, tuple[str, ...]] = msgspec.field(default_factory=dict)
    # set when state was lost: load this checkpoint step instead of going on
    restore_step: int | None = None
    cause: str = ""
    # rank -> id of the takeover that gives it to a new owner in this epoch
    takeovers: dict[int, str] = msgspec.field(default_factory=dict)


class EpochDead(Message, frozen=True, kw_only=True):
    """Leave every epoch up to ``epoch`` at once, enter none of them, and answer Unwound."""

    token: int
    epoch: int
    reason: str


class AssignMirrors(Message, frozen=True, kw_only=True):
    """The whole assignment of mirrors; replaces the former one (``revision`` rises)."""

    token: int
    revision: int
    assignments: tuple[Mirroring, ...]


class Release(Message, frozen=True, kw_only=True):
    """The retired owner's state is no longer needed: it leaves."""

    token: int


class Shutdown(Message, frozen=True, kw_only=True):
    """The job is over or has failed for good."""

    token: int
    ok: bool
    reason: str

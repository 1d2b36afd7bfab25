"""What a member says of itself; see `hotswap.wire.messages`."""

from hotswap.wire.values import Holding, Message


class PeerLost(Message, frozen=True, kw_only=True):
    """A collective of ``epoch`` failed on this member."""

    epoch: int
    detail: str


class Unwound(Message, frozen=True, kw_only=True):
    """The member has left every epoch up to ``epoch``: no byte of one can reach live tensors."""

    epoch: int
    holdings: tuple[Holding, ...]
    # epoch in which the member ran last, which tells whether a swap had taken force; 0 for none
    last_epoch: int = 0


class Bound(Message, frozen=True, kw_only=True):
    """Process groups of ``epoch`` are connected on this member (planned swap: in background)."""

    epoch: int


class Resumed(Message, frozen=True, kw_only=True):
    """First work of ``epoch`` has begun on this member, at step ``step``."""

    epoch: int
    step: int
    # CLOCK_MONOTONIC, s; comparable within one machine only
    at_monotonic_s: float


class Prepared(Message, frozen=True, kw_only=True):
    """The standby has built the model of ``rank`` and waits at the start of a step."""

    rank: int


class Disarmed(Message, frozen=True, kw_only=True):
    """The member votes for no switch to ``epoch`` any more, and no such vote of it is open."""

    swap: str
    epoch: int


class Switched(Message, frozen=True, kw_only=True):
    """The vote of the last step of the old epoch was unanimous for ``epoch``."""

    epoch: int
    committed: int
    # CLOCK_MONOTONIC, s, at the end of that vote
    vote_ended_monotonic_s: float


class RestoreFailed(Message, frozen=True, kw_only=True):
    """The checkpoint of ``step`` can't be loaded on this rank."""

    epoch: int
    step: int
    rank: int
    detail: str


class Finished(Message, frozen=True, kw_only=True):
    """The member's script has ended."""

    epoch: int
    committed: int
    ok: bool = True
    detail: str = ""

"""What a leader answers and announces; see `hotswap.wire.messages`."""

import msgspec

from hotswap.wire.values import Message, RankStatus


class Welcome(Message, frozen=True, kw_only=True):
    """The connection is accepted."""

    token: int
    leader: str
    world_size: int


class Refused(Message, frozen=True, kw_only=True):
    """The connection or request is refused; ``code`` is one of the stable error codes."""

    code: str
    detail: str
    # where the leader listens, if this coordinator is not it
    leader: str = ""


class SwapAccepted(Message, frozen=True, kw_only=True):
    """Answer to SwapRequest."""

    request: str
    swap: str
    rank: int
    target: str


class Status(Message, frozen=True, kw_only=True):
    """Snapshot of the job."""

    job: str
    leader: str
    token: int
    phase: str
    epoch: int
    committed: int
    world_size: int
    ranks: tuple[RankStatus, ...]
    standbys: tuple[str, ...]
    swap: str | None = None
    swap_phase: str | None = None
    # election latency of the present leader, s; None when it was the first
    election_s: float | None = None


class Notice(Message, frozen=True, kw_only=True):
    """Something an operator wants to see: pushed to operators and supervisors.

    ``kind``: committed, epoch_started, epoch_dead, member_joined, member_lost, mirror_complete,
    protection_lost, swap_phase, swap_completed, swap_aborted, unplanned_completed, corruption,
    restored, refused, elected, finished, failed.
    """

    kind: str
    epoch: int
    step: int | None = None
    rank: int | None = None
    member: str | None = None
    text: str = ""
    # measured values, units last in the name (pause_ms, stall_ms, steps_lost, loss, ...)
    values: dict[str, float] = msgspec.field(default_factory=dict)

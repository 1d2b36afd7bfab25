"""Every message of the control channel, as tagged structs.

Who sends what::

    member      -> coordinator   Hello, Heartbeat, PeerLost, Unwound, Bound, Resumed, Prepared,
                                 MirrorReport, Verified, Disarmed, Switched, CorruptionFound,
                                 ProtectionLost, Committed, RestoreFailed, Finished
    supervisor  -> coordinator   Hello, ProcessExited, Heartbeat
    operator    -> coordinator   Hello, SwapRequest, AbortRequest, PrepareRequest, StatusRequest
    coordinator -> member        Welcome, Refused, Start, EpochDead, Prepare, AssignMirrors,
                                 BindNext, Verify, Arm, Disarm, TakeOver, Release, Shutdown
    coordinator -> operator      Welcome, Refused, SwapAccepted, Status, Notice
    coordinator -> supervisor    Welcome, Refused, Notice, Shutdown

A *member* is one process that can fill a rank. A *rank* is a role; a member owns it for an
*epoch*. ``committed`` counts the steps applied, so it is also the index of the next step.
``token`` is the fencing token of the leader that sent a command: it rises with each election,
and a member refuses a command whose token is lower than the highest it has seen.
"""

from typing import Literal

import msgspec

#: Version of the control protocol. A peer of another version is refused by name.
PROTOCOL_VERSION = 1


class Message(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Base of every control message."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Where a member listens."""

    # host name or address that the other members can reach
    host: str
    # port of the member's rendezvous store
    store_port: int
    # port on which the member receives mirror traffic
    mirror_port: int


class Seat(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One line of a roster: who owns a rank."""

    rank: int
    member: str
    endpoint: Endpoint


class Holding(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """State of a rank that a member holds: as its owner, its mirror or its retired owner."""

    rank: int
    # steps applied to this state
    version: int
    # whether the gradients of step ``version`` are held, so that it can be applied
    pending: bool
    # "owner": live training state; "mirror": a replica; "retired": an owner after its hand-over
    kind: Literal["owner", "mirror", "retired"]
    # every unit of the state is present at ``version``
    complete: bool = True
    # no digest has ever disagreed
    intact: bool = True
    # epoch in which the state was copied or restored, 0 for the first; a state that is older than
    # the last restore from a checkpoint belongs to a history that was given up
    since_epoch: int = 0


# --------------------------------------------------------------------------- member -> coordinator


class Hello(Message, frozen=True, kw_only=True):
    """First message on a connection; also the first after a reconnection."""

    protocol: int
    job: str
    role: Literal["member", "supervisor", "operator"]
    # stable name of the process, e.g. ``node-3``; unique in the job, never re-used
    name: str
    pid: int
    # rank that the launcher foresees for the first epoch; None for a standby
    wanted_rank: int | None = None
    endpoint: Endpoint | None = None
    torch_version: str = ""
    # epoch in which the member last ran; 0 before the first
    epoch: int = 0
    # rank owned in that epoch
    rank: int | None = None
    # True when the member has left ``epoch`` and waits for the next one
    unwound: bool = False
    holdings: tuple[Holding, ...] = ()
    # highest fencing token the member has seen
    token: int = 0
    # highest epoch that the member has left or refuses to enter: nothing of it or of an older one
    # changes ``holdings`` any more
    dead_epoch: int = 0


class Heartbeat(Message, frozen=True, kw_only=True):
    """Sent every ``heartbeat_s``; its absence for ``lease_s`` is a loss."""

    epoch: int
    # steps applied by the owner; 0 for a standby
    committed: int = 0


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


class MirrorReport(Message, frozen=True, kw_only=True):
    """A mirror's progress; sent when it becomes complete and every few steps."""

    holding: Holding
    bytes_received: int = 0
    lag_steps: int = 0


class Verified(Message, frozen=True, kw_only=True):
    """Root digest of a rank's state at ``step``, from its owner or its mirror."""

    swap: str
    rank: int
    step: int
    kind: Literal["owner", "mirror"]
    digest: str
    # names of the tensors whose digest differs, where the sender compared
    mismatched: tuple[str, ...] = ()


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


class CorruptionFound(Message, frozen=True, kw_only=True):
    """Owner and mirror differ, or bytes changed in flight or at rest."""

    rank: int
    step: int
    tensors: tuple[str, ...]
    where: Literal["mirror", "copy", "gradient", "checkpoint"]


class ProtectionLost(Message, frozen=True, kw_only=True):
    """The owner of ``rank`` no longer waits for the mirror ``mirror``."""

    rank: int
    mirror: str
    reason: str


class Committed(Message, frozen=True, kw_only=True):
    """Step ``step`` was applied; sent by every owner, with what it reports of the step."""

    epoch: int
    rank: int
    step: int
    loss: float | None = None
    # wall time of the step on this rank, s
    step_s: float = 0.0
    # samples this rank consumed in the step
    samples: int = 0
    # further values the script reported, e.g. validation_loss
    values: dict[str, float] = {}
    # names of mirrors that acknowledged this step's gradients
    protected_by: tuple[str, ...] = ()


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


# ------------------------------------------------------------ supervisor, operator -> coordinator


class ProcessExited(Message, frozen=True, kw_only=True):
    """The supervisor has reaped the process of ``name``: it is certainly gone."""

    name: str
    # exit status, negative for a signal
    status: int


class SwapRequest(Message, frozen=True, kw_only=True):
    """Ask for a planned swap of ``rank``."""

    request: str
    rank: int
    # the standby to use; None lets the coordinator choose
    target: str | None = None
    reason: str = ""


class AbortRequest(Message, frozen=True, kw_only=True):
    """Ask that a swap be given up; possible until its epoch is in force."""

    swap: str


class PrepareRequest(Message, frozen=True, kw_only=True):
    """Tell which rank's model the standby builds in advance: the likeliest to fail."""

    rank: int
    member: str | None = None


class StatusRequest(Message, frozen=True, kw_only=True):
    """Ask for one Status."""


# --------------------------------------------------------------------------- coordinator -> others


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
    mirrors: dict[int, tuple[str, ...]] = {}
    # set when state was lost: load this checkpoint step instead of going on
    restore_step: int | None = None
    cause: str = ""
    # rank -> id of the takeover that gives it to a new owner in this epoch
    takeovers: dict[int, str] = {}


class EpochDead(Message, frozen=True, kw_only=True):
    """Leave every epoch up to ``epoch`` at once, enter none of them, and answer Unwound."""

    token: int
    epoch: int
    reason: str


class Prepare(Message, frozen=True, kw_only=True):
    """Build the model of ``rank`` in advance."""

    token: int
    rank: int


class Mirroring(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One rank's mirror assignment."""

    rank: int
    member: str
    endpoint: Endpoint


class AssignMirrors(Message, frozen=True, kw_only=True):
    """The whole assignment of mirrors; replaces the former one (``revision`` rises)."""

    token: int
    revision: int
    assignments: tuple[Mirroring, ...]


class BindNext(Message, frozen=True, kw_only=True):
    """Connect the groups of ``epoch`` in the background; the old ones stay in use."""

    token: int
    swap: str
    epoch: int
    roster: tuple[Seat, ...]
    store: Endpoint


class Verify(Message, frozen=True, kw_only=True):
    """Owner and mirror of ``rank``: digest the state at the first boundary from ``at_step`` on."""

    token: int
    swap: str
    rank: int
    at_step: int


class Arm(Message, frozen=True, kw_only=True):
    """From now on vote for ``epoch``: it takes force at the first unanimous boundary."""

    token: int
    swap: str
    epoch: int
    rank: int
    target: str


class Disarm(Message, frozen=True, kw_only=True):
    """Swap ``swap`` is given up: vote for the current epoch only, drop the groups of ``epoch``."""

    token: int
    swap: str
    epoch: int
    reason: str


class TakeOver(Message, frozen=True, kw_only=True):
    """Epoch ``epoch`` is in force after ``committed`` steps: the newcomer owns ``rank``."""

    token: int
    epoch: int
    rank: int
    committed: int


class Release(Message, frozen=True, kw_only=True):
    """The retired owner's state is no longer needed: it leaves."""

    token: int


class Shutdown(Message, frozen=True, kw_only=True):
    """The job is over or has failed for good."""

    token: int
    ok: bool
    reason: str


class SwapAccepted(Message, frozen=True, kw_only=True):
    """Answer to SwapRequest."""

    request: str
    swap: str
    rank: int
    target: str


class RankStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One rank as the coordinator sees it; None is unknown."""

    rank: int
    member: str | None
    committed: int | None
    protection: Literal["protected", "catching_up", "unprotected"]
    mirrors: tuple[str, ...] = ()
    lag_steps: int | None = None


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
    values: dict[str, float] = {}


ToCoordinator = (
    Hello | Heartbeat | PeerLost | Unwound | Bound | Resumed | Prepared | MirrorReport | Verified
    | Disarmed | Switched | CorruptionFound | ProtectionLost | Committed | RestoreFailed | Finished
    | ProcessExited | SwapRequest | AbortRequest | PrepareRequest | StatusRequest
)  # fmt: skip

FromCoordinator = (
    Welcome | Refused | Start | EpochDead | Prepare | AssignMirrors | BindNext | Verify | Arm
    | Disarm | TakeOver | Release | Shutdown | SwapAccepted | Status | Notice
)  # fmt: skip

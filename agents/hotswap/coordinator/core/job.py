"""Everything that a leader knows of its job. Mutable, and free of behaviour."""

import copy
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

import msgspec

from hotswap.coordinator.core.planned_state import PlannedSwap
from hotswap.coordinator.core.progress import Progress
from hotswap.coordinator.core.record import SavedStart
from hotswap.coordinator.core.takeover_state import OpenCertificate, Takeover
from hotswap.limits import Limits
from hotswap.wire.messages import Disarm, Endpoint, Holding, Seat

Key = TypeVar("Key", int, str)
Value = TypeVar("Value")


class JobPhase(StrEnum):
    """What the leader is doing."""

    # not every rank has a process yet
    FORMING = "forming"
    # a new leader waits to hear from every owner; the job goes on meanwhile
    RECOVERING = "recovering"
    RUNNING = "running"
    # an epoch is dead: its members leave it and report
    UNWINDING = "unwinding"
    # the state of a rank is lost: the newest checkpoint is looked for
    SEEKING_CHECKPOINT = "seeking_checkpoint"
    # and nobody can take the rank
    WAITING_FOR_STANDBY = "waiting_for_standby"
    FINISHED = "finished"
    FAILED = "failed"


#: Phases in which an epoch is in force.
LIVING = (JobPhase.RUNNING, JobPhase.RECOVERING)
#: Phases between an epoch's death and the start of the next one.
DEAD = (JobPhase.UNWINDING, JobPhase.SEEKING_CHECKPOINT, JobPhase.WAITING_FOR_STANDBY)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobConfig:
    """What a coordinator is started with."""

    # name of the job, and of this coordinator
    job: str
    name: str
    world_size: int
    limits: Limits


class MemberView(msgspec.Struct, kw_only=True):
    """One living member as the leader knows it."""

    name: str
    endpoint: Endpoint | None
    wanted_rank: int | None = None
    connected: bool = True
    # when it was last heard, and since when it has no connection
    heard_s: float = 0.0
    disconnected_s: float | None = None
    # epoch in which it said it runs, or ran last
    epoch: int = 0
    # rank it owns or owned, as it says
    rank: int | None = None
    # it has left every epoch up to this one, and ``holdings`` are as of then or later
    dead_epoch: int = 0
    holdings: tuple[Holding, ...] = ()
    # rank whose model it was told to build in advance, and the one that it has built
    asked_rank: int | None = None
    prepared_rank: int | None = None
    # steps applied, as it said last
    committed: int = 0


class MirrorView(msgspec.Struct, kw_only=True):
    """One mirror of one rank as the leader knows it."""

    complete: bool = False
    intact: bool = True
    # the owner commits no step without its receipt
    protecting: bool = False
    version: int = 0
    lag_steps: int | None = None

    @property
    def usable(self) -> bool:
        """Whether it could be swapped in, as far as is known."""
        return self.complete and self.intact


class Recovery(msgspec.Struct, kw_only=True):
    """What goes on between the death of an epoch and the start of the next one."""

    cause: str
    # first sign of the loss, and the declaration, s; None: under another leader
    noticed_s: float | None
    dead_s: float | None
    # when everybody had reported
    unwound_s: float | None = None
    # the death has been counted as one of an epoch with or without a committed step
    counted: bool = False
    # members that have not reported yet; the order is of no account
    awaited: dict[str, None] = {}
    # since when a rank waits for a standby
    waiting_s: float | None = None
    # ranks whose state is nowhere
    lost_ranks: tuple[int, ...] = ()
    # steps that were committed, and whether an owner said so
    committed: int = 0
    certain: bool = True


class Job(msgspec.Struct, kw_only=True):
    """The job. Containers are never shared between two jobs; values in them are replaced."""

    config: JobConfig
    phase: JobPhase = JobPhase.FORMING
    leading: bool = False
    token: int = 0
    election_s: float | None = None
    # -------------------------------------------------------------------- who is there
    members: dict[str, MemberView] = {}
    observers: dict[str, None] = {}
    # declared lost, or done with: never admitted again
    lost: dict[str, None] = {}
    # disconnected members, so that a tick need not look at all
    absent: dict[str, None] = {}
    # owners that a new leader has not heard of yet
    unheard: dict[str, None] = {}
    # ranks whose first process was lost before the job began
    forfeited: dict[int, None] = {}
    torch_version: str = ""
    # ------------------------------------------------------------------ who owns what
    epoch: int = 0
    highest_epoch: int = 0
    dead_epoch: int = 0
    seats: tuple[Seat, ...] = ()
    # member -> rank, of ``seats``
    owners: dict[str, int] = {}
    start: SavedStart | None = None
    committed: int = 0
    restored_epoch: int = 0
    checkpoint_before: int | None = None
    # steps that were committed when the epoch began
    began_at: int = 0
    # epochs in a row that died before they had committed a step
    barren_epochs: int = 0
    # members that have finished the last step
    finished: dict[str, None] = {}
    recovery: Recovery | None = None
    # --------------------------------------------------------------------------- mirrors
    # replaced as a whole, as are their endpoints
    mirrors: dict[int, tuple[str, ...]] = {}
    mirror_endpoints: dict[str, Endpoint] = {}
    revision: int = 0
    # members that have come back and may not know the assignment
    untold: dict[str, None] = {}
    # owners that have dropped a mirror -> when they are told to try it again
    retell_s: dict[str, float] = {}
    # rank -> member
    mirror_views: dict[int, dict[str, MirrorView]] = {}
    # ----------------------------------------------------------------------------- swaps
    swaps: int = 0
    swap: PlannedSwap | None = None
    # told to everyone who may not have heard that a swap was given up
    disarm: Disarm | None = None
    # request -> (swap, rank, target) of the latest requests
    requests: dict[str, tuple[str, int, str]] = {}
    takeovers: dict[int, Takeover] = {}
    # members of the epoch that have not begun to work in it
    resuming: dict[str, None] = {}
    certificates: dict[str, OpenCertificate] = {}
    # ------------------------------------------------------------------------- the rest
    progress: Progress = msgspec.field(default_factory=Progress)
    reason: str = ""
    next_scan_s: float = 0.0

    @property
    def limits(self) -> Limits:
        """Named limits of the job."""
        return self.config.limits

    def owner(self, rank: int) -> MemberView | None:
        """Return the living owner of ``rank``."""
        return self.members.get(self.seats[rank].member)

    def take_seats(self, seats: tuple[Seat, ...]) -> None:
        """Let ``seats`` say who owns what."""
        self.seats = seats
        former, self.owners = self.owners, {seat.member: seat.rank for seat in seats}
        for name in self.owners.keys() - former.keys():
            if name in self.members:
                self.members[name].rank = self.owners[name]

    def dismiss(self, name: str) -> None:
        """Have nothing to do with a member any more, whether it lives or not."""
        self.members.pop(name, None)
        self.absent.pop(name, None)
        self.unheard.pop(name, None)
        self.untold.pop(name, None)
        self.retell_s.pop(name, None)
        self.lost[name] = None

    def mirror_view(self, rank: int, member: str) -> MirrorView | None:
        """Return what is known of one mirror."""
        return self.mirror_views.get(rank, {}).get(member)

    def standbys(self) -> list[MemberView]:
        """Return the connected members that own nothing, in the order in which they came."""
        return [
            member
            for member in self.members.values()
            if member.connected and member.rank is None and member.name not in self.owners
        ]

    def clone(self) -> "Job":
        """Return an independent copy."""
        twin = copy.copy(self)
        for name in _COPIED:
            setattr(twin, name, getattr(self, name).copy())
        twin.members = _copied(self.members)
        twin.takeovers = _copied(self.takeovers)
        twin.certificates = _copied(self.certificates)
        twin.mirror_views = {rank: _copied(views) for rank, views in self.mirror_views.items()}
        twin.progress = self.progress.clone()
        twin.swap = None if self.swap is None else self.swap.clone()
        if self.recovery is not None:
            twin.recovery = copy.copy(self.recovery)
            twin.recovery.awaited = self.recovery.awaited.copy()
        return twin


def _copied(values: dict[Key, Value]) -> dict[Key, Value]:
    return {key: copy.copy(value) for key, value in values.items()}


_COPIED = (
    "observers",
    "lost",
    "absent",
    "unheard",
    "forfeited",
    "owners",
    "finished",
    "requests",
    "resuming",
    "untold",
    "retell_s",
)

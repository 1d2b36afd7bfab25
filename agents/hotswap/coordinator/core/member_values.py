"""Values that a member's core is made of."""

from dataclasses import dataclass
from enum import StrEnum

from hotswap.wire.messages import Endpoint, Seat


class MemberPhase(StrEnum):
    """What a member is doing in the job."""

    # owns nothing; may mirror any number of ranks
    STANDBY = "standby"
    # owns a rank in a living epoch
    RUNNING = "running"
    # owns a rank, has left a dead epoch, waits for the next one
    UNWOUND = "unwound"
    # has handed its rank over, keeps the state until it is released
    RETIRED = "retired"
    # no part in the job any more
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What never changes about a member."""

    job: str
    name: str
    pid: int
    endpoint: Endpoint
    # rank that the launcher foresees for the first epoch
    wanted_rank: int | None = None
    torch_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """What a member puts into the vote: each number is reduced with MIN over the ranks."""

    ready: bool
    # epoch in which the vote takes place
    epoch: int
    # epoch that this rank is ready to be in after the step
    next_epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Armed:
    """A planned swap that this member votes for."""

    swap: str
    epoch: int
    rank: int
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NextGroups:
    """Groups that are connected in advance for a planned swap."""

    swap: str
    epoch: int
    roster: tuple[Seat, ...]
    bound: bool = False

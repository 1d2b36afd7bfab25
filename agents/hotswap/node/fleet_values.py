"""What the launcher is asked for, knows of each process, and decides to do."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a process was started as."""

    RANK = "rank"
    STANDBY = "standby"
    COORDINATOR = "coordinator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What was asked for."""

    ranks: int
    standbys: int
    coordinators: int
    respawn: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One process, from its start to its end."""

    name: str
    kind: Kind
    # place on the machine, for choosing a device: the smallest one that was free
    slot: int
    started_s: float
    # a coordinator has welcomed it
    joined: bool = False
    # when a coordinator declared it lost, though it may still live
    lost_s: float | None = None
    # it was killed for lingering after that; how soon it is gone is up to the kernel
    killed: bool = False
    exited_s: float | None = None
    # exit status, negative for a signal
    status: int | None = None

    @property
    def lives(self) -> bool:
        """Whether there is a process to end."""
        return self.exited_s is None

    @property
    def counts(self) -> bool:
        """Whether it fills a place."""
        return self.lives and self.lost_s is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Start one process."""

    name: str
    kind: Kind
    slot: int

    @property
    def wanted_rank(self) -> int | None:
        """Rank that the process is to own first."""
        return self.slot if self.kind is Kind.RANK else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """End a process that has been fenced off and does not end by itself."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRespawning:
    """Say once that nothing is started in place of others any more."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The job is over."""

    ok: bool
    reason: str
    # process whose log explains a failure
    culprit: str | None = None


Action = Start | Kill | StopRespawning | End


def describe_status(status: int | None) -> str:
    """Say how a process ended, in words."""
    if status is None:
        return "is running"
    if status < 0:
        return f"was killed by signal {-status}"
    return "ended" if status == 0 else f"failed with exit status {status}"

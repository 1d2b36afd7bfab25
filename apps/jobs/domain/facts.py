"""What is known of a job, as plain values. None is unknown, everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final

UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankFacts:
    """One rank."""

    # member that owns it
    owner: str | None = None
    # first epoch in which it was seen to own the rank
    owner_since_epoch: int | None = None
    # one of `states.PROTECTIONS`
    protection: str = UNKNOWN
    # members that mirror it
    mirrors: tuple[str, ...] = ()
    # steps that the nearest mirror is behind
    lag_steps: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """The job at a glance."""

    world_size: int
    # fencing token of the newest leader that was heard
    token: int = 0
    leader: str | None = None
    # what the leader is doing, in its words
    phase: str | None = None
    epoch: int | None = None
    # steps that were applied by every rank
    committed: int | None = None
    # of the newest committed step: mean loss, mean validation loss, slowest rank's time, s
    loss: float | None = None
    validation_loss: float | None = None
    step_s: float | None = None
    samples_per_s: float | None = None
    # a step's usual time, s: smoothed, and hardly moved by one that stalled
    typical_step_s: float | None = None
    # time that the steps that still count take when nothing is in their way, s
    productive_s: float = 0.0
    # when the first and the newest committed step were told
    first_commit_at: datetime | None = None
    last_commit_at: datetime | None = None
    # "finished" or "failed" once the leader has said so, and its reason
    ended: str | None = None
    ended_reason: str = ""
    # waiting members, by name
    standbys: tuple[str, ...] = ()
    ranks: Mapping[int, RankFacts] = field(default_factory=lambda: MappingProxyType({}))

    def rank(self, rank: int) -> RankFacts:
        """Return what is known of a rank, which may be nothing."""
        return self.ranks.get(rank, RankFacts())

    @property
    def members(self) -> frozenset[str]:
        """Members that the leader counts on, as far as is known."""
        owners = {each.owner for each in self.ranks.values() if each.owner is not None}
        return frozenset(owners) | frozenset(self.standbys)

    @property
    def goodput(self) -> float | None:
        """Share of the time since the first commit that its steps, undisturbed, would have taken.

        Stalls, pauses and steps that were done again make it smaller.
        """
        if self.first_commit_at is None or self.last_commit_at is None:
            return None
        elapsed_s = (self.last_commit_at - self.first_commit_at).total_seconds()
        if elapsed_s <= 0 or self.typical_step_s is None:
            return None
        # the first step itself was computed before its commit
        return min(self.productive_s / (elapsed_s + self.typical_step_s), 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """A rank has another owner."""

    rank: int
    member: str
    # first epoch in which it owns the rank
    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LossFacts:
    """What one committed step measured."""

    epoch: int
    step: int
    # mean over the ranks that reported one; None: none did, or it is no number
    loss: float | None
    validation_loss: float | None
    # slowest rank, s
    step_s: float | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """Something that happened, other than a committed step."""

    # number of the line in its stream
    offset: int
    at: datetime
    # one of the kinds of `hotswap.wire.answers.Notice`
    kind: str
    epoch: int
    step: int | None
    rank: int | None
    member: str | None
    text: str
    values: Mapping[str, float | None]

"""Which processes a job should have, compared with those that it has.

Roles change hands, processes do not: a standby that takes a rank over stays the process it was. So
trainers are counted together, and each that is lost leaves a place for a new standby. Who owns
which rank is the coordinator's business alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from apps.jobs.domain.facts import JobFacts
from apps.jobs.domain.placement import Role

#: Time that a loss is given to be dealt with by the job itself before a place is filled.
REPLACE_AFTER: Final = timedelta(seconds=1)
#: A rank that has lost its owner is left to the standbys that live for so long: which node a new
#: standby is to stay off is known only when one of them has taken the rank over.
TAKEOVER_WITHIN: Final = timedelta(seconds=60)
#: A member that was declared lost and still runs after this is ended: it holds memory and devices.
LINGER_MAX: Final = timedelta(seconds=20)
#: A job whose first epoch has not begun by then has failed.
START_WITHIN: Final = timedelta(minutes=10)
#: Processes that ended in failure so soon after their start count as short lives.
SHORT_LIFE: Final = timedelta(seconds=30)
#: Short lives in a row after which nothing is replaced any more.
SHORT_LIVES_MAX: Final = 3
#: Replacements of one job, in all.
REPLACEMENTS_MAX: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberFacts:
    """One process."""

    name: str
    role: Role
    node: UUID
    # one of `states.MEMBER`
    state: str
    # negative for a signal; None: it runs, or nobody knows
    exit_status: int | None = None
    # when it was asked for
    wanted_at: datetime
    # when its state became what it is
    since: datetime
    # since when the job's leader, or the plane, counts on it no more; None: it counts
    lost_at: datetime | None = None
    # state of the command that starts it; None: the plane did not start it
    command: str | None = None
    # its node's agent has been heard of lately
    node_heard: bool = True

    @property
    def counts(self) -> bool:
        """Whether it fills a place."""
        return self.state in ("wanted", "running") and self.lost_at is None

    @property
    def short_lived(self) -> bool:
        """Whether it failed soon after its start."""
        failed = self.state == "exited" and self.exit_status != 0
        return failed and self.since - self.wanted_at < SHORT_LIFE


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the job should have."""

    world_size: int
    standbys: int
    coordinators: int
    started_at: datetime
    # when somebody asked for its end; None: nobody has
    stop_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """Find a place for a new member of a role, and start it there."""

    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    """Count on a member no more."""

    member: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndMember:
    """Have a process ended that nobody counts on."""

    member: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndJob:
    """The job is over."""

    # an action of `states.JOB`: finish, fail or stop
    action: str
    reason: str


Action = Replace | GiveUp | EndMember | EndJob


def supervise(
    *,
    wish: Wish,
    facts: JobFacts,
    members: Sequence[MemberFacts],
    leader_heard: bool,
    now: datetime,
) -> tuple[Action, ...]:
    """Compare what is with what should be; called at any time and any number of times.

    ``leader_heard`` says that ``facts`` are fresh: only then does a member that is not among them
    not count.
    """
    end = _end(wish, facts, members, now=now)
    if end is not None:
        return (end,)
    if wish.stop_at is not None:
        return ()
    given_up = {
        each.member: each
        for member in members
        if (each := _give_up(member, facts, leader_heard=leader_heard)) is not None
    }
    left = [member for member in members if member.name not in given_up]
    return (
        *given_up.values(),
        *_lingering(left, now=now),
        *_replacements(wish, facts, left, fresh_loss=bool(given_up), now=now),
    )


def _end(
    wish: Wish, facts: JobFacts, members: Sequence[MemberFacts], *, now: datetime
) -> EndJob | None:
    if facts.ended is not None and wish.stop_at is None:
        action = "finish" if facts.ended == "finished" else "fail"
        return EndJob(action=action, reason=facts.ended_reason)
    if facts.ended is not None:
        return EndJob(action="stop", reason=facts.ended_reason)
    if wish.stop_at is not None or facts.epoch is not None:
        return None
    return _no_start(wish, members, now=now)


def _no_start(wish: Wish, members: Sequence[MemberFacts], *, now: datetime) -> EndJob | None:
    """Give up a job whose ranks do not come together."""
    ranks = [member for member in members if member.role is Role.RANK]
    for member in ranks:
        # one that was killed can be replaced; one that ended by itself would do so again
        if member.state == "exited" and (member.exit_status or 0) >= 0:
            reason = f"{member.name} ended with exit status {member.exit_status} before a step"
            return EndJob(action="fail", reason=reason)
    if now - wish.started_at < START_WITHIN:
        return None
    minutes = int(START_WITHIN.total_seconds() // 60)
    return EndJob(action="fail", reason=f"its ranks have not come together in {minutes} minutes")


def _give_up(member: MemberFacts, facts: JobFacts, *, leader_heard: bool) -> GiveUp | None:
    if not member.counts:
        return None
    if member.state == "wanted" and member.command in ("failed", "refused", "expired"):
        return GiveUp(member=member.name, reason=f"its start was {member.command}")
    if member.node_heard:
        return None
    if member.role is Role.COORDINATOR:
        return GiveUp(member=member.name, reason="its node is not heard of")
    if leader_heard and facts.epoch is not None and member.name not in facts.members:
        return GiveUp(member=member.name, reason="neither its node nor the leader knows of it")
    return None


def _lingering(members: Sequence[MemberFacts], *, now: datetime) -> tuple[EndMember, ...]:
    return tuple(
        EndMember(member=member.name, reason="it was declared lost and still runs")
        for member in members
        if member.state == "running"
        and member.node_heard
        and member.lost_at is not None
        and now - member.lost_at >= LINGER_MAX
    )


def _replacements(
    wish: Wish,
    facts: JobFacts,
    members: Sequence[MemberFacts],
    *,
    fresh_loss: bool,
    now: datetime,
) -> tuple[Replace, ...]:
    """Fill the places of those that are gone, once the job itself has dealt with the loss."""
    trainers = [member for member in members if member.role is not Role.COORDINATOR]
    coordinators = [member for member in members if member.role is Role.COORDINATOR]
    owners = {facts.rank(rank).owner for rank in range(wish.world_size)}
    # an owner that ends by itself means that the job is about to
    finishing = any(each.exit_status == 0 and each.name in owners for each in trainers)
    unsettled = finishing or _is_taken_over(facts, trainers, now=now)
    wanted = 0 if unsettled else wish.world_size + wish.standbys
    found: list[Replace] = []
    for role, count, kind in (
        (Role.COORDINATOR, wish.coordinators, coordinators),
        (Role.STANDBY, wanted, trainers),
    ):
        missing = count - sum(1 for each in kind if each.counts)
        if missing > 0 and not fresh_loss and _may_replace(kind, count=count, now=now):
            found += [Replace(role=role)] * missing
    return tuple(found)


def _is_taken_over(facts: JobFacts, trainers: Sequence[MemberFacts], *, now: datetime) -> bool:
    """Whether an owner was lost of late, and a standby lives that can take its rank over."""
    owners = {facts.rank(rank).owner for rank in range(facts.world_size)}
    lost = any(
        each.name in owners and now - (each.lost_at or each.since) < TAKEOVER_WITHIN
        for each in trainers
        if not each.counts
    )
    return lost and any(each.counts and each.name in facts.standbys for each in trainers)


def _may_replace(members: Sequence[MemberFacts], *, count: int, now: datetime) -> bool:
    if len(members) - count >= REPLACEMENTS_MAX:
        return False
    newest = sorted(members, key=lambda each: each.wanted_at)[-SHORT_LIVES_MAX:]
    if len(newest) == SHORT_LIVES_MAX and all(each.short_lived for each in newest):
        return False
    losses = [each.lost_at or each.since for each in members if not each.counts]
    return all(now - loss >= REPLACE_AFTER for loss in losses)

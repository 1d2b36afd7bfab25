"""What the launcher decides: which processes a job needs, and when it is over.

Pure: facts come in with the time at which they were learnt, and `Fleet.due` compares what is with
what should be. It can be called at any time and any number of times; what it returns has to be
carried out, and shows up as new facts.

Roles change hands, processes do not: a standby that takes a rank over stays the process it was.
So the fleet counts trainers, ranks and standbys together, and each that is gone leaves a place for
a new standby.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hotswap.limits import Limits
from hotswap.node.fleet_values import (
    Action,
    End,
    Kill,
    Kind,
    Plan,
    Record,
    Start,
    StopRespawning,
    describe_status,
)


@dataclass(slots=True, kw_only=True)
class _Places:
    """Trainers or coordinators: how many there should be, and how filling their places went."""

    count: int
    respawning: bool
    respawned: int = 0
    # failures in a row soon after the start
    short_lives: int = 0


class Fleet:
    """The processes of one job."""

    def __init__(self, *, plan: Plan, limits: Limits, now: float) -> None:
        """Begin with no process; `initial` says which to start."""
        self.plan = plan
        self.records: dict[str, Record] = {}
        # rank -> member that owns it, as far as the launcher was told
        self.owners = {rank: f"node-{rank}" for rank in range(plan.ranks)}
        self._limits = limits
        self._begun_s = now
        self._started = False
        self._verdict: End | None = None
        self._trainers = _Places(count=plan.ranks + plan.standbys, respawning=plan.respawn)
        self._coordinators = _Places(count=plan.coordinators, respawning=plan.respawn)

    # ------------------------------------------------------------------------------------ facts

    def initial(self) -> tuple[Start, ...]:
        """Say what to start at first: coordinators before those who look for them."""
        plan = self.plan
        return (
            *(
                Start(name=f"coordinator-{each}", kind=Kind.COORDINATOR, slot=each)
                for each in range(plan.coordinators)
            ),
            *(Start(name=f"node-{rank}", kind=Kind.RANK, slot=rank) for rank in range(plan.ranks)),
            *(
                Start(name=f"standby-{each}", kind=Kind.STANDBY, slot=plan.ranks + each)
                for each in range(plan.standbys)
            ),
        )

    def started(self, start: Start, *, now: float) -> None:
        """Note that a process runs."""
        self.records[start.name] = Record(
            name=start.name, kind=start.kind, slot=start.slot, started_s=now
        )
        if start not in self.initial():
            self._places(start.kind).respawned += 1

    def exited(self, name: str, *, status: int, now: float) -> None:
        """Note that a process was reaped."""
        record = self._update(name, exited_s=now, status=status)
        if record is None:
            return
        short = now - record.started_s < self._limits.stop_loss_s
        places = self._places(record.kind)
        # a process that was told to leave is no failure, however short its life
        places.short_lives = places.short_lives + 1 if short and status != 0 else 0

    def joined(self, name: str) -> None:
        """Note that a coordinator has welcomed a member."""
        self._update(name, joined=True)

    def lost(self, name: str, *, now: float) -> None:
        """Note that a coordinator has declared a member lost, though its process may live."""
        self._update(name, lost_s=now)

    def killed(self, name: str) -> None:
        """Note that a process was killed, though it may not have ended yet."""
        self._update(name, killed=True)

    def began(self) -> None:
        """Note that the first epoch has begun."""
        self._started = True

    def owned(self, rank: int, member: str) -> None:
        """Note who owns a rank."""
        self.owners[rank] = member

    def concluded(self, *, ok: bool, reason: str) -> None:
        """Note the leader's verdict on the job."""
        if self._verdict is None:
            culprit = None if ok else self._culprit()
            self._verdict = End(ok=ok, reason=reason, culprit=culprit)

    # --------------------------------------------------------------------------------- decisions

    def due(self, *, now: float) -> tuple[Action, ...]:
        """Compare what is with what should be."""
        end = self._verdict or self._no_leader() or self._no_start(now) or self._all_gone(now)
        if end is not None:
            return (end,)
        return (
            *self._fenced(now),
            *self._stop_loss(self._trainers, "trainer"),
            *self._stop_loss(self._coordinators, "coordinator"),
            *self._replacements(now),
        )

    def trainers(self) -> tuple[Record, ...]:
        """List the processes that run the script."""
        return tuple(each for each in self.records.values() if each.kind is not Kind.COORDINATOR)

    def coordinators(self) -> tuple[Record, ...]:
        """List the coordinators."""
        return tuple(each for each in self.records.values() if each.kind is Kind.COORDINATOR)

    def _places(self, kind: Kind) -> "_Places":
        return self._coordinators if kind is Kind.COORDINATOR else self._trainers

    def _update(self, name: str, **facts: object) -> Record | None:
        """Change the record of a process; one that was never started is none of ours."""
        record = self.records.get(name)
        if record is None:
            return None
        self.records[name] = replace(record, **facts)  # type: ignore[arg-type]  # facts have the fields' types
        return self.records[name]

    def _no_leader(self) -> End | None:
        """Give up a job that never had a leader, and will have none."""
        if self._started or self._led():
            return None
        last = max(self.coordinators(), key=lambda record: record.exited_s or 0.0, default=None)
        if last is None:
            return None
        reason = f"no coordinator runs: {last.name} {describe_status(last.status)}"
        return End(ok=False, reason=reason, culprit=last.name)

    def _no_start(self, now: float) -> End | None:
        """Give up a job whose ranks do not come together."""
        if self._started:
            return None
        ranks = [record for record in self.trainers() if record.kind is Kind.RANK]
        # one that was killed can be replaced; one that ended by itself would do so again
        ended = [record for record in ranks if record.status is not None and record.status >= 0]
        if ended:
            first = min(ended, key=lambda record: record.exited_s or 0.0)
            return End(ok=False, reason=_why_no_start(first), culprit=first.name)
        if now - self._begun_s < self._limits.join_s:
            return None
        within = f"within {self._limits.join_s:g} s (HOTSWAP_JOIN_S)"
        missing = [record.name for record in ranks if record.lives and not record.joined]
        if missing:
            reason = (
                f"{_listed(missing)} did not call hotswap.join() {within}: call it near the top of "
                "the script, before the model is built, or give start-up more time"
            )
            return End(ok=False, reason=reason, culprit=missing[0])
        killed = [record for record in ranks if not record.lives]
        if killed:
            reason = f"{_why_no_start(killed[0])}, and no standby has taken its rank {within}"
            return End(ok=False, reason=reason, culprit=killed[0].name)
        return None

    def _all_gone(self, now: float) -> End | None:
        """Conclude without a leader, when the owners' exits tell it."""
        owners = [self.records.get(name) for name in self.owners.values()]
        if not all(record is not None and not record.lives for record in owners):
            return None
        gone = [record for record in owners if record is not None]
        if now - max(record.exited_s or 0.0 for record in gone) < self._limits.answer_s:
            return None  # the leader knows more: it may be about to tell, or to start an epoch
        if all(record.status == 0 for record in gone):
            return End(ok=True, reason="every rank has finished")
        if any(record.counts for record in self.trainers()) and self._led():
            return None
        reason = "the processes of all ranks have exited, and no standby could go on"
        return End(ok=False, reason=reason, culprit=self._culprit())

    def _led(self) -> bool:
        """Whether a coordinator lives or will be started."""
        return self._coordinators.respawning or any(each.lives for each in self.coordinators())

    def _fenced(self, now: float) -> Iterable[Kill]:
        """End processes that were declared lost and linger: they hold memory and devices."""
        for record in self.trainers():
            if record.lives and not record.killed and record.lost_s is not None:
                lingered_s = now - record.lost_s
                if lingered_s >= self._limits.fenced_exit_s:
                    reason = f"declared lost {lingered_s:.0f} s ago and still running"
                    yield Kill(name=record.name, reason=reason)

    def _stop_loss(self, places: "_Places", what: str) -> Iterable[StopRespawning]:
        """End respawning when it does not help, and say so once."""
        limits = self._limits
        if not places.respawning:
            return
        if places.short_lives >= limits.stop_loss_exits:
            reason = (
                f"{places.short_lives} {what} processes in a row failed within "
                f"{limits.stop_loss_s:g} s of their start; the job goes on with those that live"
            )
        elif places.respawned >= limits.respawn_max:
            reason = f"{places.respawned} {what} processes were replaced (HOTSWAP_RESPAWN_MAX)"
        else:
            return
        places.respawning = False
        yield StopRespawning(reason=reason)

    def _replacements(self, now: float) -> Iterable[Start]:
        """Fill the places of those that are gone, once the loss has been dealt with."""
        finished = any(record.status == 0 for record in self.trainers() if self._owns(record.name))
        if not finished:  # a rank that ends by itself means that the job is about to
            yield from self._fill(self._trainers, self.trainers(), Kind.STANDBY, now)
        yield from self._fill(self._coordinators, self.coordinators(), Kind.COORDINATOR, now)

    def _fill(
        self, places: "_Places", records: tuple[Record, ...], kind: Kind, now: float
    ) -> Iterable[Start]:
        """Start as many processes as places are free."""
        taken = {record.slot for record in records if record.counts}
        # every loss has to be old enough; `started` makes the place taken at once
        settled = all(
            now - min(record.exited_s or now, record.lost_s or now) >= self._limits.respawn_delay_s
            for record in records
            if not record.counts
        )
        if not (settled and places.respawning):
            return
        free = [slot for slot in range(places.count) if slot not in taken]
        left = self._limits.respawn_max - places.respawned
        # names are never used twice: those of this kind were numbered from 0
        named = sum(1 for record in records if record.kind is kind)
        for number, slot in enumerate(free[:left], start=named):
            yield Start(name=f"{kind}-{number}", kind=kind, slot=slot)

    def _owns(self, name: str) -> bool:
        return name in self.owners.values()

    def _culprit(self) -> str | None:
        """Name the process that failed first by itself; next best is the first one killed."""
        failed = [record for record in self.trainers() if record.status not in {0, None}]
        by_itself = [record for record in failed if (record.status or 0) > 0]
        first = min(by_itself or failed, key=lambda record: record.exited_s or 0.0, default=None)
        return first.name if first else None


def _why_no_start(record: Record) -> str:
    """Say why a job cannot begin without a process that is gone."""
    ended = describe_status(record.status)
    if record.joined:
        return f"{record.name} {ended} before the first step"
    if record.status == 0:
        return (
            f"{record.name} {ended} without having called hotswap.join(): call it near the top of "
            "the script, before the model is built"
        )
    return f"{record.name} {ended} before it called hotswap.join()"


def _listed(names: list[str]) -> str:
    """Join names for a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

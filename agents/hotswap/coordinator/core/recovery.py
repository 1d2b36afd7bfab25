"""From the death of an epoch to the start of the next one.

1. `kill`: the epoch is declared dead, durably, and everybody is told. All numbers that were ever
   given to an epoch are dead with it: one that is connected in advance can't take force any more.
2. Each member leaves it and reports what it holds, `reported`; or is lost, `owner_lost`.
3. Once everybody who matters has reported, `decide`: the job goes on where `decide_resume` says,
   or the state of a rank is lost and a checkpoint is looked for.
4. `start`: the next epoch is in force, durably, and everybody is told.
"""

from collections.abc import Container, Iterator

from hotswap.coordinator.core import handover, planned, takeovers
from hotswap.coordinator.core.ending import conclude
from hotswap.coordinator.core.job import LIVING, Job, JobPhase, MemberView, Recovery
from hotswap.coordinator.core.planned_state import UNARMED, VOTED, SwapPhase
from hotswap.coordinator.core.restoring import seek
from hotswap.coordinator.core.resume import Lost, Resume, Situation, decide_resume
from hotswap.coordinator.core.starting import start
from hotswap.coordinator.core.turn import Turn
from hotswap.wire.messages import EpochDead, Unwound


def kill(turn: Turn, cause: str, *, noticed_s: float) -> None:
    """Declare the epoch in force, and every other number ever given to one, dead."""
    job = turn.job
    if job.phase not in LIVING:
        return
    _let_swap_go(turn, cause)
    job.dead_epoch = job.highest_epoch
    job.phase = JobPhase.UNWINDING
    takeovers.begin_recovery(
        job,
        Recovery(
            cause=cause,
            noticed_s=noticed_s,
            dead_s=turn.now,
            awaited=_awaited(job),
        ),
    )
    turn.persist()
    turn.broadcast(job.members, dead_command(job))
    turn.notify("epoch_dead", text=cause)
    decide(turn)


def dead_command(job: Job) -> EpochDead:
    """Return what makes a member leave every dead epoch, and report."""
    cause = "" if job.recovery is None else job.recovery.cause
    return EpochDead(
        token=job.token, epoch=job.dead_epoch, reason=cause[: planned.REASON_LENGTH_MAX]
    )


def _let_swap_go(turn: Turn, cause: str) -> None:
    """Give up a swap that nobody votes for yet; one that was voted for is settled by reports."""
    swap = turn.job.swap
    if swap is None:
        return
    if swap.phase in UNARMED:
        planned.abort(turn, f"epoch {turn.job.epoch} died: {cause}")
    elif swap.released:
        handover.complete(turn)


def again(turn: Turn) -> None:
    """Go on with a recovery that another leader had begun."""
    job = turn.job
    job.phase = JobPhase.UNWINDING
    takeovers.begin_recovery(
        job,
        Recovery(
            cause="the epoch died under another leader",
            noticed_s=None,
            dead_s=None,
            awaited=_awaited(job),
        ),
    )
    decide(turn)


# ------------------------------------------------------------------------------- the reports


def _awaited(job: Job) -> dict[str, None]:
    """Name the living members whose reports decide: owners, and who may follow a lost one."""
    members = job.members
    names = [seat.member for seat in job.seats if seat.member in members]
    if len(names) < len(job.seats):
        for seat in job.seats:
            if seat.member not in members:
                names += _heirs(job, seat.rank)
    if job.swap is not None:
        names += [name for name in (job.swap.origin, job.swap.target) if name in members]
    return {name: None for name in names if members[name].dead_epoch < job.dead_epoch}


def _heirs(job: Job, rank: int) -> tuple[str, ...]:
    """Name the living members that may hold the state of a rank whose owner is lost."""
    heirs = dict.fromkeys(job.mirrors.get(rank, ()))
    swap = job.swap
    if swap is not None and swap.rank == rank and swap.phase is SwapPhase.IN_FORCE:
        heirs = dict.fromkeys((swap.origin, *heirs))
    owner = job.seats[rank].member
    living = [name for name in heirs if name in job.members and name != owner]
    # Whoever owned the rank a moment ago has its model, as has a standby that has built it.
    return tuple(sorted(living, key=lambda name: _has_model(job, rank, name), reverse=True))


def _has_model(job: Job, rank: int, name: str) -> bool:
    member = job.members[name]
    return rank in (member.rank, member.prepared_rank)


def reported(turn: Turn, sender: str, message: Unwound) -> None:
    """Take what a member holds, now that nothing of a dead epoch changes it any more."""
    job = turn.job
    member = job.members[sender]
    member.dead_epoch = max(member.dead_epoch, message.epoch)
    member.holdings = message.holdings
    member.epoch = message.last_epoch
    has_reported(turn, sender)
    if job.phase is JobPhase.WAITING_FOR_STANDBY:
        # Nobody waits for this one's report, but it may be the process that a rank lacks.
        decide(turn)


def has_reported(turn: Turn, name: str) -> None:
    """Decide once everybody has reported; before, the cost does not depend on their number."""
    job, recovery = turn.job, turn.job.recovery
    if recovery is None or name not in recovery.awaited:
        return
    if job.members[name].dead_epoch >= job.dead_epoch:
        del recovery.awaited[name]
        if not recovery.awaited:
            decide(turn)


def owner_lost(turn: Turn, name: str, rank: int | None) -> None:
    """A member that was awaited, or that was to go on, is gone: ask who may follow it."""
    job, recovery = turn.job, turn.job.recovery
    assert recovery is not None, "there is a recovery between two epochs"
    recovery.awaited.pop(name, None)
    if rank is not None:
        for heir in _heirs(job, rank):
            if job.members[heir].dead_epoch < job.dead_epoch:
                recovery.awaited[heir] = None
    if recovery.awaited:
        job.phase = JobPhase.UNWINDING
    else:
        decide(turn)


# ------------------------------------------------------------------------------ the decision


def decide(turn: Turn) -> None:
    """Go on, now that everybody has reported who can."""
    job, recovery = turn.job, turn.job.recovery
    assert recovery is not None, "there is a recovery between two epochs"
    if recovery.awaited:
        return
    _resolve_swap(turn)
    decision = decide_resume(_situation(job))
    if not recovery.counted:
        recovery.counted = True
        recovery.unwound_s = turn.now
        progressed = decision.committed > job.began_at
        job.barren_epochs = 0 if progressed else job.barren_epochs + 1
    if job.barren_epochs >= job.limits.barren_epochs_max:
        reason = (
            f"{job.barren_epochs} epochs in a row died before a step was committed "
            f"(barren_epochs_max); the last one because {recovery.cause}"
        )
        conclude(turn, ok=False, reason=reason)
        return
    match decision:
        case Resume():
            start(turn, decision.owners, committed=decision.committed, certain=decision.certain)
        case Lost() if silent := _silent(job):
            # Someone may still hold what is missing: a former mirror that was not told yet.
            recovery.awaited = silent
            job.phase = JobPhase.UNWINDING
        case Lost():
            seek(turn, decision)


def _silent(job: Job) -> dict[str, None]:
    """Name the living members that have not reported, whether they were awaited or not."""
    dead_epoch = job.dead_epoch
    return {name: None for name, m in job.members.items() if m.dead_epoch < dead_epoch}


def _resolve_swap(turn: Turn) -> None:
    """Was an armed swap in force? If one member says so, it was, and its roster counts."""
    job, swap = turn.job, turn.job.swap
    if swap is None or swap.phase not in VOTED:
        return
    if any(member.epoch == swap.next_epoch for member in job.members.values()):
        handover.take_force(turn, swap, step=None)


def _holders(job: Job, ranks: Container[int]) -> Iterator[tuple[str, int]]:
    """Yield who else holds a copy of one of ``ranks``: a former mirror that still has it."""
    for member in job.members.values():
        if member.rank is None and member.dead_epoch >= job.dead_epoch:
            for holding in member.holdings:
                if holding.rank in ranks:
                    yield member.name, holding.rank


def _owns(member: MemberView) -> bool:
    """Whether a member has become an owner, by what it reports itself."""
    return any(holding.kind != "mirror" for holding in member.holdings)


def _situation(job: Job) -> Situation:
    members, dead_epoch = job.members, job.dead_epoch
    owners = [seat.member if seat.member in members else None for seat in job.seats]
    heirs = {rank: _heirs(job, rank) for rank, owner in enumerate(owners) if owner is None}
    swap = job.swap
    if swap is not None:
        heirs[swap.rank] = _heirs(job, swap.rank)
        newcomer = members.get(swap.target)
        if owners[swap.rank] == swap.target and newcomer is not None and not _owns(newcomer):
            # It has not taken the rank over yet, and may be the one that another rank needs.
            owners[swap.rank] = None
            heirs[swap.rank] = (swap.target, *heirs[swap.rank])
    for name, rank in _holders(job, heirs):
        if name not in heirs[rank]:
            heirs[rank] = (*heirs[rank], name)
    return Situation(
        owners=owners,
        heirs=heirs,
        holdings={
            name: member.holdings
            for name, member in members.items()
            if member.dead_epoch >= dead_epoch
        },
        committed=job.committed,
        restored_epoch=job.restored_epoch,
        spares=[member.name for member in job.standbys()],
    )

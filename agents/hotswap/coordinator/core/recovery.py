"""From the death of an epoch to the start of the next one.

1. `kill`: the epoch is declared dead, durably, and everybody is told. All numbers that were ever
   given to an epoch are dead with it: one that is connected in advance can't take force any more.
2. Each member leaves it and reports what it holds, `reported`; or is lost, `owner_lost`.
3. Once everybody who matters has reported, `decide`: the job goes on where `decide_resume` says,
   or the state of a rank is lost and a checkpoint is looked for.
4. `start`: the next epoch is in force, durably, and everybody is told.
"""

from hotswap.coordinator.core import handover, planned, takeovers
from hotswap.coordinator.core.ending import conclude
from hotswap.coordinator.core.job import LIVING, Job, JobPhase, Recovery
from hotswap.coordinator.core.planned_state import UNARMED, VOTED, SwapPhase
from hotswap.coordinator.core.restoring import seek
from hotswap.coordinator.core.resume import Claim, Lost, Resume, decide_resume
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
    awaited: dict[str, None] = {}
    for rank in range(len(job.seats)):
        owner = job.owner(rank)
        if owner is not None:
            awaited[owner.name] = None
        else:
            awaited.update(dict.fromkeys(_heirs(job, rank)))
    swap = job.swap
    if swap is not None:
        pair = (swap.origin, swap.target)
        awaited.update((name, None) for name in pair if name in job.members)
    reported = [name for name in awaited if job.members[name].dead_epoch >= job.dead_epoch]
    for name in reported:
        del awaited[name]
    return awaited


def _heirs(job: Job, rank: int) -> tuple[str, ...]:
    """Name the living members that may hold the state of a rank whose owner is lost."""
    heirs = dict.fromkeys(job.mirrors.get(rank, ()))
    swap = job.swap
    if swap is not None and swap.rank == rank and swap.phase is SwapPhase.IN_FORCE:
        heirs = dict.fromkeys((swap.origin, *heirs))
    owner = job.seats[rank].member
    return tuple(name for name in heirs if name in job.members and name != owner)


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
    """Decide once everybody has reported."""
    job = turn.job
    recovery = job.recovery
    if recovery is None or name not in recovery.awaited:
        return
    if job.members[name].dead_epoch >= job.dead_epoch:
        del recovery.awaited[name]
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
    decision = decide_resume(
        claims=[_claim(job, rank) for rank in range(len(job.seats))],
        holdings={
            member.name: member.holdings
            for member in job.members.values()
            if member.dead_epoch >= job.dead_epoch
        },
        committed=job.committed,
        restored_epoch=job.restored_epoch,
        spares=[member.name for member in job.standbys()],
    )
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
        case Lost():
            seek(turn, decision)


def _resolve_swap(turn: Turn) -> None:
    """Was an armed swap in force? If one member says so, it was, and its roster counts."""
    job, swap = turn.job, turn.job.swap
    if swap is None or swap.phase not in VOTED:
        return
    if any(member.epoch == swap.next_epoch for member in job.members.values()):
        handover.take_force(turn, swap, step=None)


def _claim(job: Job, rank: int) -> Claim:
    owner = job.owner(rank)
    swap = job.swap
    if owner is not None and (swap is None or swap.rank != rank):
        return Claim(owner=owner.name)
    return Claim(owner=None if owner is None else owner.name, others=_heirs(job, rank))

"""Going back to a checkpoint, when the state of a rank is nowhere any more."""

from hotswap.coordinator.core.ending import conclude
from hotswap.coordinator.core.job import Job, JobPhase
from hotswap.coordinator.core.resume import Lost
from hotswap.coordinator.core.starting import start
from hotswap.coordinator.core.turn import Turn


def seek(turn: Turn, lost: Lost) -> None:
    """Look for a checkpoint, once every rank has a process that could load it."""
    job, recovery = turn.job, turn.job.recovery
    assert recovery is not None, "a checkpoint is looked for after an epoch has died"
    recovery.lost_ranks = lost.ranks
    recovery.committed = lost.committed
    recovery.certain = lost.certain
    if job.checkpoint_before is not None and lost.committed > job.checkpoint_before:
        # It was written anew since.
        job.checkpoint_before = None
    if None in _restorers(job):
        _wait(turn)
        return
    job.phase = JobPhase.SEEKING_CHECKPOINT
    turn.find_checkpoint()


def _wait(turn: Turn) -> None:
    """Wait for a standby, though not for ever."""
    recovery = turn.job.recovery
    assert recovery is not None, "a standby is waited for after an epoch has died"
    if recovery.waiting_s is None:
        recovery.waiting_s = turn.now
    turn.job.phase = JobPhase.WAITING_FOR_STANDBY


def found(turn: Turn, step: int | None) -> None:
    """Go back to the checkpoint, or give the job up."""
    job, recovery = turn.job, turn.job.recovery
    if job.phase is not JobPhase.SEEKING_CHECKPOINT or recovery is None:
        return  # asked again since, or somebody else was lost
    ranks = ", ".join(str(rank) for rank in recovery.lost_ranks)
    if step is None:
        before = job.checkpoint_before
        which = "no checkpoint" if before is None else f"no checkpoint before step {before}"
        reason = f"the state of rank {ranks} is lost ({recovery.cause}), and there is {which}"
        conclude(turn, ok=False, reason=reason)
        return
    restorers = _restorers(job)
    owners = [owner for owner in restorers if owner is not None]
    if len(owners) < len(restorers):
        # A standby has gone meanwhile.
        _wait(turn)
        return
    start(
        turn,
        owners,
        committed=max(recovery.committed, step),
        certain=recovery.certain,
        restore_step=step,
    )


def check_limits(turn: Turn) -> None:
    """Do not wait for a standby for ever: survivors do not either."""
    job, recovery = turn.job, turn.job.recovery
    if recovery is None or recovery.waiting_s is None:
        return
    if job.phase is not JobPhase.WAITING_FOR_STANDBY:
        return
    if turn.now - recovery.waiting_s >= job.limits.replacement_s:
        ranks = ", ".join(str(rank) for rank in recovery.lost_ranks)
        reason = (
            f"no standby came for rank {ranks} within "
            f"replacement_s = {job.limits.replacement_s:g} s ({recovery.cause})"
        )
        conclude(turn, ok=False, reason=reason)


def _restorers(job: Job) -> list[str | None]:
    """Name who could load each rank: its owner, or a standby, rather one that has its model."""
    spares = {member.name: member.prepared_rank for member in job.standbys()}
    restorers: list[str | None] = []
    for rank in range(len(job.seats)):
        owner = job.owner(rank)
        name = None if owner is None else owner.name
        if name is None and spares:
            name = next(
                (spare for spare, built in spares.items() if built == rank), next(iter(spares))
            )
            del spares[name]
        restorers.append(name)
    return restorers

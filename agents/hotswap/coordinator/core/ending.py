"""The end of a job."""

from hotswap.coordinator.core import handover, takeovers
from hotswap.coordinator.core.job import JobPhase
from hotswap.coordinator.core.turn import Turn
from hotswap.wire.messages import Finished, Shutdown


def conclude(turn: Turn, *, ok: bool, reason: str) -> None:
    """The job is over: tell everybody, and whoever comes later; what was still open is told too."""
    job = turn.job
    job.phase = JobPhase.FINISHED if ok else JobPhase.FAILED
    job.reason = reason
    job.recovery = None
    if job.swap is not None and job.swap.released:
        handover.complete(turn)
    takeovers.write_all(turn)
    for notice in job.progress.flush(job.committed):
        turn.tell(notice)
    turn.persist()
    turn.notify("finished" if ok else "failed", step=job.committed, text=reason)
    turn.broadcast(job.members, shutdown_command(turn))
    for name in job.observers:
        turn.send(name, shutdown_command(turn))


def shutdown_command(turn: Turn) -> Shutdown:
    """Return what ends a member, and tells a supervisor that nobody is needed any more."""
    job = turn.job
    return Shutdown(token=job.token, ok=job.phase is JobPhase.FINISHED, reason=job.reason)


def finished(turn: Turn, sender: str, message: Finished) -> None:
    """Every step is applied on every rank, says one of them: it has passed the last barrier."""
    job = turn.job
    if sender not in job.owners or message.epoch != job.epoch:
        return
    job.committed = max(job.committed, message.committed)
    done(turn, sender)


def done(turn: Turn, name: str) -> None:
    """Note that nothing more is expected of an owner; when of none, the job has finished."""
    job = turn.job
    job.finished[name] = None
    if all(member in job.finished for member in job.owners):
        reason = f"{job.committed} steps were committed"
        if job.reason:
            reason = f"{reason}; {job.reason}"
        conclude(turn, ok=True, reason=reason)

"""The start of an epoch."""

from collections.abc import Container, Sequence

from hotswap.coordinator.core import handover, mirrors, takeovers
from hotswap.coordinator.core.job import Job, JobPhase
from hotswap.coordinator.core.record import SavedStart
from hotswap.coordinator.core.turn import Turn
from hotswap.wire.messages import Endpoint, Seat, Start


def form(turn: Turn, owners: Sequence[str]) -> None:
    """Every rank has a process: the job begins."""
    _put_in_force(turn, owners, committed=0, restore_step=None, cause="the job begins", taken={})


def start(
    turn: Turn,
    owners: Sequence[str],
    *,
    committed: int,
    certain: bool,
    restore_step: int | None = None,
) -> None:
    """Put the next epoch in force: ``owners`` by rank, after ``committed`` steps.

    Args:
        turn: the event being handled.
        owners: by rank.
        committed: steps that are committed now; with ``restore_step``, before going back to it.
        certain: whether a living owner says that no more were.
        restore_step: checkpoint to go back to, or None.

    """
    job, recovery = turn.job, turn.job.recovery
    assert recovery is not None, "an epoch starts after another has died"
    if job.swap is not None:
        handover.settle(turn, owners[job.swap.rank])
    lost = committed - restore_step if restore_step is not None else 0
    taken = {
        rank: takeovers.open_takeover(
            turn,
            rank=rank,
            from_member=job.seats[rank].member,
            to_member=owner,
            steps_lost=lost if certain else None,
        ).id
        for rank, owner in enumerate(owners)
        if owner != job.seats[rank].member
    }
    cause = recovery.cause
    if restore_step is not None:
        cause = _restored(turn, restore_step, lost if certain else None)
    _put_in_force(
        turn,
        owners,
        committed=committed if restore_step is None else restore_step,
        restore_step=restore_step,
        cause=cause,
        taken=taken,
    )


def _restored(turn: Turn, step: int, lost: int | None) -> str:
    """Say what going back costs."""
    recovery = turn.job.recovery
    assert recovery is not None, "a checkpoint is restored after an epoch has died"
    ranks = ", ".join(str(rank) for rank in recovery.lost_ranks)
    cost = "an unknown number of steps is lost" if lost is None else f"{lost} steps are lost"
    text = f"the state of rank {ranks} is lost ({recovery.cause}): {cost}"
    values = {} if lost is None else {"steps_lost": float(lost)}
    turn.notify("restored", step=step, text=text, values=values)
    turn.job.progress.go_back(step)
    return text


def _put_in_force(
    turn: Turn,
    owners: Sequence[str],
    *,
    committed: int,
    restore_step: int | None,
    cause: str,
    taken: dict[int, str],
) -> None:
    """Decide the epoch, save it, tell everybody."""
    job = turn.job
    former = job.owners
    job.highest_epoch += 1
    job.epoch = job.highest_epoch
    seats: Sequence[Seat | None] = job.seats or [None] * len(owners)
    job.take_seats(
        tuple(
            [
                seat if seat is not None and seat.member == owner else _seat(job, rank, owner)
                for rank, (seat, owner) in enumerate(zip(seats, owners, strict=True))
            ]
        )
    )
    job.committed = job.began_at = committed
    if restore_step is not None:
        job.restored_epoch = job.epoch
    job.start = SavedStart(
        committed=committed,
        store=_store(job, former),
        restore_step=restore_step,
        cause=cause,
        takeovers=taken,
    )
    job.phase = JobPhase.RUNNING
    job.recovery = None
    job.disarm = None
    job.finished.clear()
    job.resuming = dict.fromkeys(owners) if job.takeovers else {}
    left_out = sorted((former.keys() - job.owners.keys()) & job.members.keys())
    turn.persist()
    turn.broadcast([*job.owners, *left_out], start_command(job))
    turn.notify("epoch_started", step=committed, text=cause)
    # The last step before a loss is told later: who takes a lost rank over reports it as well.
    for notice in job.progress.flush(committed - 1):
        turn.tell(notice)
    for name in left_out:
        job.dismiss(name)
    mirrors.assign(turn)


def start_command(job: Job) -> Start:
    """Return the Start of the epoch in force, for whoever has not heard it."""
    assert job.start is not None, "the epoch was put in force by a Start"
    return Start(
        token=job.token,
        epoch=job.epoch,
        roster=job.seats,
        committed=job.start.committed,
        store=job.start.store,
        restore_step=job.start.restore_step,
        cause=job.start.cause,
        takeovers=job.start.takeovers,
    )


def _seat(job: Job, rank: int, owner: str) -> Seat:
    endpoint = job.members[owner].endpoint
    assert endpoint is not None, "an owner has said where it listens"
    return Seat(rank=rank, member=owner, endpoint=endpoint)


def _store(job: Job, survivors: Container[str]) -> Endpoint:
    """Let a survivor's store serve the rendezvous: a newcomer may have a model to build first."""
    seat = next((seat for seat in job.seats if seat.member in survivors), job.seats[0])
    return seat.endpoint

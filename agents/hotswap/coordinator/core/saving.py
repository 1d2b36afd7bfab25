"""A job to and from the record that outlives its leader. Pure."""

from typing import Final, Literal

from hotswap.coordinator.core.job import Job, JobPhase, MemberView
from hotswap.coordinator.core.planned_state import PlannedSwap, SwapPhase
from hotswap.coordinator.core.record import Record, SavedSwap, SavedTakeover
from hotswap.coordinator.core.takeover_state import OpenCertificate, Takeover

_Outcome = Literal["", "finished", "failed"]
_OUTCOMES: Final[dict[JobPhase, _Outcome]] = {
    JobPhase.FINISHED: "finished",
    JobPhase.FAILED: "failed",
}
_SAVED_PHASES: Final[dict[SwapPhase, Literal["armed", "disarming", "in_force"]]] = {
    SwapPhase.ARMED: "armed",
    SwapPhase.DISARMING: "disarming",
    SwapPhase.IN_FORCE: "in_force",
}


def record_of(job: Job) -> Record:
    """Return what the next leader has to know."""
    outcome: _Outcome = _OUTCOMES.get(job.phase, "")
    return Record(
        job=job.config.job,
        leader=job.config.name,
        token=job.token,
        election_s=job.election_s,
        world_size=job.config.world_size,
        epoch=job.epoch,
        highest_epoch=job.highest_epoch,
        dead_epoch=job.dead_epoch,
        seats=job.seats,
        start=job.start,
        committed=job.committed,
        restored_epoch=job.restored_epoch,
        checkpoint_before=job.checkpoint_before,
        lost=tuple(job.lost),
        forfeited=tuple(job.forfeited),
        mirrors=job.mirrors,
        endpoints=job.mirror_endpoints,
        revision=job.revision,
        swaps=job.swaps,
        swap=None if job.swap is None else _saved_swap(job.swap),
        takeovers=tuple(_saved_takeover(each) for each in job.takeovers.values()),
        certificates=tuple(each.record for each in job.certificates.values()),
        torch_version=job.torch_version,
        outcome=outcome,
        reason=job.reason,
    )


def _saved_swap(swap: PlannedSwap) -> SavedSwap:
    return SavedSwap(
        id=swap.id,
        request=swap.request,
        rank=swap.rank,
        origin=swap.origin,
        target=swap.target,
        reason=swap.reason,
        phase=_SAVED_PHASES.get(swap.phase, "preparing"),
        former_epoch=swap.former_epoch,
        next_epoch=swap.next_epoch,
        seats=swap.seats,
        step=swap.step,
    )


def _saved_takeover(takeover: Takeover) -> SavedTakeover:
    return SavedTakeover(
        id=takeover.id,
        rank=takeover.rank,
        from_member=takeover.from_member,
        to_member=takeover.to_member,
        epoch_before=takeover.epoch_before,
        cause=takeover.cause,
        steps_lost=takeover.steps_lost,
    )


def load_record(job: Job, record: Record, *, now: float) -> None:
    """Go on from ``record``: nobody is connected, and everybody named in it may live."""
    job.epoch = record.epoch
    job.highest_epoch = record.highest_epoch
    job.dead_epoch = record.dead_epoch
    job.seats = record.seats
    job.owners = {seat.member: seat.rank for seat in record.seats}
    job.start = record.start
    job.committed = record.committed
    job.began_at = record.committed
    job.restored_epoch = record.restored_epoch
    job.checkpoint_before = record.checkpoint_before
    job.lost = dict.fromkeys(record.lost)
    job.forfeited = dict.fromkeys(record.forfeited)
    job.mirrors = record.mirrors
    job.mirror_endpoints = record.endpoints
    job.revision = record.revision
    job.swaps = record.swaps
    job.torch_version = record.torch_version
    job.reason = record.reason
    job.progress.told = record.committed
    if record.swap is not None:
        job.swap = _loaded_swap(record.swap)
    for saved in record.takeovers:
        job.takeovers[saved.rank] = _loaded_takeover(saved)
    if job.takeovers:
        job.resuming = dict.fromkeys(job.owners)
    due_s = now + job.limits.certificate_s
    job.certificates = {
        each.id: OpenCertificate(record=each, due_s=due_s) for each in record.certificates
    }
    _expect_members(job, record, now=now)
    job.unheard = dict.fromkeys(job.owners)
    if record.outcome:
        job.phase = JobPhase(record.outcome)
    elif record.epoch:
        job.phase = JobPhase.RECOVERING


def _expect_members(job: Job, record: Record, *, now: float) -> None:
    """Wait ``lease_s`` for everybody whose loss would matter."""
    endpoints = record.endpoints | {seat.member: seat.endpoint for seat in job.seats}
    names = dict.fromkeys(job.owners)
    for rank in sorted(job.mirrors):
        names.update(dict.fromkeys(job.mirrors[rank]))
    if job.swap is not None:
        endpoints.update({seat.member: seat.endpoint for seat in job.swap.seats})
        names.update(dict.fromkeys((job.swap.origin, job.swap.target)))
    for name in names:
        if name not in job.lost:
            job.members[name] = MemberView(
                name=name,
                endpoint=endpoints.get(name),
                rank=job.owners.get(name),
                connected=False,
                heard_s=now,
            )


def _loaded_swap(saved: SavedSwap) -> PlannedSwap:
    """Nobody knows any more how far a swap had come that was not armed."""
    phase = SwapPhase.COPYING if saved.phase == "preparing" else SwapPhase(saved.phase)
    return PlannedSwap(
        id=saved.id,
        request=saved.request,
        rank=saved.rank,
        origin=saved.origin,
        target=saved.target,
        reason=saved.reason,
        phase=phase,
        former_epoch=saved.former_epoch,
        next_epoch=saved.next_epoch,
        seats=saved.seats,
        step=saved.step,
    )


def _loaded_takeover(saved: SavedTakeover) -> Takeover:
    return Takeover(
        id=saved.id,
        rank=saved.rank,
        from_member=saved.from_member,
        to_member=saved.to_member,
        epoch_before=saved.epoch_before,
        cause=saved.cause,
        steps_lost=saved.steps_lost,
    )

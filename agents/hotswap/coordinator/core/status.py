"""One snapshot of a job. Pure; what is not known is None."""

from hotswap.coordinator.core.job import Job
from hotswap.wire.messages import RankStatus, Status


def status_of(job: Job) -> Status:
    """Return the job as its leader sees it."""
    return Status(
        job=job.config.job,
        leader=job.config.name,
        token=job.token,
        phase=job.phase.value,
        epoch=job.epoch,
        committed=job.committed,
        world_size=job.config.world_size,
        ranks=tuple(_rank_status(job, rank) for rank in range(job.config.world_size)),
        standbys=tuple(member.name for member in job.standbys()),
        swap=None if job.swap is None else job.swap.id,
        swap_phase=None if job.swap is None else job.swap.phase.value,
        election_s=job.election_s,
    )


def _rank_status(job: Job, rank: int) -> RankStatus:
    if rank >= len(job.seats):
        return RankStatus(rank=rank, member=None, committed=None, protection="unprotected")
    owner = job.owner(rank)
    mirrors = tuple(name for name in job.mirrors.get(rank, ()) if name in job.members)
    views = [job.mirror_view(rank, name) for name in mirrors]
    usable = [view for view in views if view is not None and view.usable]
    lags = [view.lag_steps for view in usable if view.lag_steps is not None]
    return RankStatus(
        rank=rank,
        member=None if owner is None else owner.name,
        committed=None if owner is None else max(owner.committed, 0),
        protection="protected" if usable else "catching_up" if mirrors else "unprotected",
        mirrors=mirrors,
        lag_steps=min(lags, default=None),
        prepared=tuple(each.name for each in job.standbys() if each.prepared_rank == rank),
    )

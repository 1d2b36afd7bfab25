"""What of a job decides how its leader will act, but for the passing of time: for exploration.

Left out are clocks, what is only shown or measured, and the text of reasons.
"""

from hotswap.coordinator.core.job import Job, MemberView
from hotswap.coordinator.core.planned_state import PlannedSwap


def fingerprint(job: Job) -> tuple[object, ...]:
    """Return a value that is equal for jobs whose leaders will act alike."""
    recovery = job.recovery
    return (
        job.leading,
        job.phase,
        job.token,
        tuple(_member(member) for member in job.members.values()),
        tuple(job.observers),
        frozenset(job.lost),
        frozenset(job.unheard),
        frozenset(job.forfeited),
        job.epoch,
        job.highest_epoch,
        job.dead_epoch,
        job.seats,
        job.start and (job.start.committed, job.start.restore_step, job.start.store),
        job.committed,
        job.began_at,
        job.restored_epoch,
        job.checkpoint_before,
        job.barren_epochs,
        frozenset(job.finished),
        recovery and (frozenset(recovery.awaited), recovery.counted, recovery.lost_ranks),
        tuple(sorted(job.mirrors.items())),
        job.revision,
        tuple(
            (rank, name, view.complete, view.intact)
            for rank, views in sorted(job.mirror_views.items())
            for name, view in sorted(views.items())
        ),
        job.swap and _swap(job.swap),
        job.disarm and job.disarm.epoch,
        tuple((rank, each.to_member) for rank, each in sorted(job.takeovers.items())),
        frozenset(job.resuming),
    )


def _member(member: MemberView) -> tuple[object, ...]:
    return (
        member.name,
        member.connected,
        member.epoch,
        member.rank,
        member.dead_epoch,
        member.holdings,
        member.prepared_rank,
    )


def _swap(swap: PlannedSwap) -> tuple[object, ...]:
    return (
        swap.id,
        swap.rank,
        swap.origin,
        swap.target,
        swap.phase,
        swap.next_epoch,
        swap.owner_digest,
        swap.mirror_digest,
        frozenset(swap.unbound),
        bool(swap.abort_reason),
        swap.step,
        frozenset(swap.vote_ended_s),
        frozenset(swap.resumed_s),
        swap.released,
    )

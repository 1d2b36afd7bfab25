"""What of a job decides how its leader will act: for exploration.

Left out are clocks, what is only shown or measured, the texts of reasons, what was reported of an
epoch that is over, and the count of epochs that came to nothing.
"""

from hotswap.coordinator.core.job import DEAD, Job, MemberView
from hotswap.coordinator.core.planned_state import PlannedSwap


def fingerprint(job: Job) -> tuple[object, ...]:
    """Return a value that is equal for jobs whose leaders will act alike."""
    recovery = job.recovery
    return (
        job.leading,
        job.phase,
        job.token,
        tuple(_member(job, member) for member in job.members.values()),
        frozenset(job.lost),
        frozenset(job.unheard),
        frozenset(job.forfeited),
        job.epoch,
        job.highest_epoch,
        job.dead_epoch,
        job.seats,
        job.start and (job.start.committed, job.start.restore_step, job.start.store),
        job.committed,
        job.restored_epoch,
        job.checkpoint_before,
        frozenset(job.finished),
        recovery and (frozenset(recovery.awaited), recovery.lost_ranks),
        tuple(sorted(job.mirrors.items())),
        job.revision,
        frozenset(job.untold),
        tuple(
            (rank, name, view.complete, view.intact, view.protecting)
            for rank, views in sorted(job.mirror_views.items())
            for name, view in sorted(views.items())
        ),
        job.swap and _swap(job.swap),
        job.disarm and job.disarm.epoch,
    )


def _member(job: Job, member: MemberView) -> tuple[object, ...]:
    reported = job.phase in DEAD and member.dead_epoch >= job.dead_epoch
    swapped = job.swap is not None and member.epoch == job.swap.next_epoch
    return (
        member.name,
        member.connected,
        member.rank,
        member.asked_rank,
        member.prepared_rank,
        reported,
        swapped,
        member.holdings if reported else (),
    )


def _swap(swap: PlannedSwap) -> tuple[object, ...]:
    return (
        swap.id,
        swap.rank,
        swap.origin,
        swap.target,
        swap.phase,
        swap.next_epoch,
        swap.verify_step,
        tuple(swap.owner_digests.items()),
        tuple(swap.mirror_digests.items()),
        frozenset(swap.unbound),
        bool(swap.abort_reason),
        swap.step,
        frozenset(swap.vote_ended_s),
        frozenset(swap.resumed_s),
        swap.released,
    )

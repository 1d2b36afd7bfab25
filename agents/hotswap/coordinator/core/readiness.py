"""Which rank's model each standby builds in advance.

A standby that has built the model of a lost rank takes it over several times sooner. Whoever knows
which rank is the likeliest to fail says so (`PrepareRequest`). Unasked, a standby builds that of
the highest rank which it could take over and no other standby is to be ready for: highest, because
scripts rather have rank 0 write files, and a standby runs their lines while the owner still trains.
If another rank is lost, the script is run once more, which takes no longer than the first time.
"""

from hotswap.coordinator.core.job import LIVING, Job
from hotswap.coordinator.core.turn import Turn
from hotswap.wire.messages import Prepare, Prepared


def ask(turn: Turn, name: str, rank: int) -> None:
    """Have a standby build the model of ``rank``; one that has built it says so again."""
    member = turn.job.members[name]
    if member.prepared_rank != rank:
        member.prepared_rank = None
    member.asked_rank = rank
    turn.broadcast([name], Prepare(token=turn.job.token, rank=rank))


def prepared(turn: Turn, name: str, message: Prepared) -> None:
    """Note that a standby has built a model, unless it has been asked for another one since."""
    member = turn.job.members[name]
    if member.asked_rank in (None, message.rank):
        member.prepared_rank = member.asked_rank = message.rank


def remind(turn: Turn, name: str) -> None:
    """Tell a standby that has come back what it may have missed."""
    member = turn.job.members[name]
    if member.asked_rank is None:
        choose(turn, name)
    elif member.asked_rank != member.prepared_rank and member in turn.job.standbys():
        ask(turn, name, member.asked_rank)


def choose(turn: Turn, name: str) -> None:
    """Have a standby that nobody has told which model to build, build one."""
    job = turn.job
    member = job.members[name]
    if member.asked_rank is not None or job.phase not in LIVING:
        return
    standbys = job.standbys()
    asked = [each.asked_rank for each in standbys if each.asked_rank is not None]
    if member not in standbys or len(asked) >= job.limits.ready_standbys_max:
        return
    rank = max(_takes_over(job, name) - set(asked), default=None)
    if rank is not None:
        ask(turn, name, rank)


def _takes_over(job: Job, name: str) -> set[int]:
    """Name the ranks that a standby could take over, once it has every copy that it is to have."""
    assigned = {rank for rank, names in job.mirrors.items() if name in names}
    views = [job.mirror_view(rank, name) for rank in assigned]
    return assigned if all(view is not None and view.usable for view in views) else set()

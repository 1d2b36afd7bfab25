"""Who is there: arrivals, returns, losses.

A member is lost when its process has exited, when its connection stays closed for
``disconnect_grace_s``, or when it is silent for ``lease_s``. A loss is for ever: whoever was
declared lost is fenced off, even if it lives, because another process may own its rank.
"""

from hotswap.coordinator.core import (
    ending,
    handover,
    mirrors,
    planned,
    readiness,
    recovery,
    starting,
)
from hotswap.coordinator.core.job import DEAD, LIVING, Job, JobPhase, MemberView
from hotswap.coordinator.core.planned_state import SwapPhase
from hotswap.coordinator.core.turn import Turn
from hotswap.errors import FencedOff, IncompatibleStandby
from hotswap.wire.messages import Hello, Refused, Welcome

_OVER = (JobPhase.FINISHED, JobPhase.FAILED)


def hello(turn: Turn, message: Hello) -> None:
    """Admit whoever says hello, or say why not."""
    job = turn.job
    if message.token > job.token:
        # A member obeys the latest leader, which is not this one.
        turn.stop_leading(f"{message.name} has heard a later leader")
        return
    if message.role != "member":
        job.observers[message.name] = None
        _welcome(turn, message.name)
        if job.phase in _OVER:
            turn.send(message.name, ending.shutdown_command(turn))
        return
    refused = _refusal(job, message)
    if refused is not None:
        turn.send(message.name, refused)
        turn.close(message.name)
        turn.notify("refused", member=message.name, text=f"{refused.code}: {refused.detail}")
        return
    member = _admit(turn, message)
    _welcome(turn, message.name)
    if job.phase in _OVER:
        turn.send(message.name, ending.shutdown_command(turn))
        return
    _bring_up_to_date(turn, member)


def _welcome(turn: Turn, name: str) -> None:
    job = turn.job
    turn.send(
        name, Welcome(token=job.token, leader=job.config.name, world_size=job.config.world_size)
    )


def _refusal(job: Job, message: Hello) -> Refused | None:
    name = message.name
    if name in job.lost:
        detail = f"{name} was declared lost, or was done with: its rank may have another owner"
        return Refused(code=FencedOff.code, detail=detail)
    if job.torch_version and message.torch_version != job.torch_version:
        detail = (
            f"{name} runs torch {message.torch_version}, the job {job.torch_version}: "
            "install the job's version"
        )
        return Refused(code=IncompatibleStandby.code, detail=detail)
    left_out = message.rank is not None and name not in job.owners and not _is_swapped(job, name)
    if message.epoch > job.highest_epoch or (job.phase in LIVING and left_out):
        detail = f"{name} ran in epoch {message.epoch}, in which it has no part any more"
        return Refused(code=FencedOff.code, detail=detail)
    return None


def _is_swapped(job: Job, name: str) -> bool:
    """Whether a member owns, or owned, the rank of a swap that is not complete."""
    return job.swap is not None and name in (job.swap.origin, job.swap.target)


def _admit(turn: Turn, message: Hello) -> MemberView:
    """Note what a member says of itself."""
    job = turn.job
    member = job.members.get(message.name)
    if member is None:
        member = MemberView(name=message.name, endpoint=message.endpoint)
        job.members[message.name] = member
        turn.notify("member_joined", member=message.name)
    job.torch_version = job.torch_version or message.torch_version
    job.absent.pop(message.name, None)
    job.unheard.pop(message.name, None)
    member.endpoint = message.endpoint
    member.wanted_rank = message.wanted_rank
    member.connected = True
    member.heard_s = turn.now
    member.disconnected_s = None
    member.epoch = message.epoch
    member.rank = message.rank
    member.dead_epoch = message.dead_epoch
    member.holdings = message.holdings
    member.prepared_rank = message.prepared_rank
    if member.asked_rank is None:
        member.asked_rank = message.prepared_rank
    return member


def _bring_up_to_date(turn: Turn, member: MemberView) -> None:
    """Send what the member may have missed, and take what it tells as its reports."""
    job, name = turn.job, member.name
    job.untold[name] = None
    mirrors.learn(turn, name, member.holdings)
    handover.heard_epoch(turn, name, member.epoch, committed=_applied(member))
    if job.phase is JobPhase.FORMING:
        form(turn)
    elif job.phase in DEAD:
        _ask_to_leave(turn, member)
    elif name in job.owners:
        _check_owner(turn, member)
    mirrors.assign(turn)
    readiness.remind(turn, name)
    planned.remind(turn, name)
    planned.advance(turn)


def _applied(member: MemberView) -> int:
    owned = (h.version for h in member.holdings if h.kind != "mirror")
    return max(owned, default=0)


def _ask_to_leave(turn: Turn, member: MemberView) -> None:
    """Between two epochs: its report is awaited, or has come with its Hello."""
    job = turn.job
    if member.dead_epoch < job.dead_epoch:
        turn.send(member.name, recovery.dead_command(job))
        return
    recovery.has_reported(turn, member.name)
    if job.phase is JobPhase.WAITING_FOR_STANDBY:
        recovery.decide(turn)


def _check_owner(turn: Turn, member: MemberView) -> None:
    """While an epoch is in force: an owner that is not in it yet may have missed its Start."""
    job = turn.job
    if member.dead_epoch >= job.epoch:
        recovery.kill(turn, f"{member.name} has left epoch {job.epoch}", noticed_s=turn.now)
    elif member.epoch < job.epoch and job.start is not None:
        turn.send(member.name, starting.start_command(job))
    elif member.epoch < job.epoch and _is_newcomer(job, member.name):
        swap = job.swap
        if swap is not None and swap.step is not None:
            turn.send(member.name, handover.take_over_command(job, swap))
    if job.phase is JobPhase.RECOVERING and not job.unheard:
        job.phase = JobPhase.RUNNING


def _is_newcomer(job: Job, name: str) -> bool:
    return job.swap is not None and job.swap.target == name


# ---------------------------------------------------------------------------------- the begin


def form(turn: Turn) -> None:
    """Begin once every rank has a process: the one that the launcher foresees, or a standby."""
    job = turn.job
    wanted: dict[int, str] = {}
    for member in job.members.values():
        if member.connected and member.wanted_rank is not None:
            wanted.setdefault(member.wanted_rank, member.name)
    spares = [m.name for m in job.members.values() if m.connected and m.wanted_rank is None]
    owners = []
    for rank in range(job.config.world_size):
        name = wanted.get(rank)
        if name is None and rank in job.forfeited and spares:
            name = spares.pop(0)
        if name is None:
            return
        owners.append(name)
    starting.form(turn, owners)


# --------------------------------------------------------------------------------- the losses


def disconnected(turn: Turn, name: str) -> None:
    """The connection is closed; the member may come back within the grace."""
    job = turn.job
    job.observers.pop(name, None)
    member = job.members.get(name)
    if member is not None and member.connected:
        member.connected = False
        member.disconnected_s = turn.now
        job.absent[name] = None


def exited(turn: Turn, name: str, status: int) -> None:
    """The process is certainly gone."""
    job = turn.job
    if name not in job.members:
        if name not in job.lost:
            job.lost[name] = None
            turn.persist()
        return
    if name in job.finished and status == 0:
        return
    lose(turn, name, f"{name} exited with status {status}", noticed_s=turn.now)


def lose(turn: Turn, name: str, reason: str, *, noticed_s: float) -> None:
    """Declare a member lost, for ever, and do what that makes necessary."""
    job = turn.job
    member = job.members[name]
    rank = job.owners.get(name)
    job.dismiss(name)
    if job.phase is JobPhase.FORMING and member.wanted_rank is not None:
        job.forfeited[member.wanted_rank] = None
    if job.phase not in _OVER:
        turn.persist()
    turn.notify("member_lost", member=name, rank=rank, text=reason)
    if member.connected:
        # Frozen or wedged: the first thing that it hears once it is well again.
        detail = f"{name} was declared lost ({reason}): its rank may have another owner"
        turn.send(name, Refused(code=FencedOff.code, detail=detail))
        turn.close(name)
    if job.phase is JobPhase.FORMING:
        form(turn)
    elif job.phase in DEAD:
        recovery.owner_lost(turn, name, rank)
    elif job.phase in LIVING:
        _lost_while_living(turn, name, rank, reason, noticed_s=noticed_s)


def _lost_while_living(
    turn: Turn, name: str, rank: int | None, reason: str, *, noticed_s: float
) -> None:
    job, swap = turn.job, turn.job.swap
    if rank is not None and job.finished:
        job.reason = f"{reason}, after the last step"
        ending.done(turn, name)
        return
    if rank is not None:
        recovery.kill(turn, reason, noticed_s=noticed_s)
        return
    if swap is not None and name == swap.target and swap.phase is not SwapPhase.IN_FORCE:
        planned.abort(turn, f"the standby was lost: {reason}")
    mirrors.assign(turn)


def check_newcomer(turn: Turn) -> None:
    """A swap may turn out to be in force after its newcomer was lost."""
    job, swap = turn.job, turn.job.swap
    if swap is not None and swap.phase is SwapPhase.IN_FORCE and swap.target not in job.members:
        recovery.kill(turn, f"{swap.target} was lost", noticed_s=turn.now)


def tick(turn: Turn) -> None:
    """Declare lost who has been away or silent for too long."""
    job, limits = turn.job, turn.job.limits
    for name in list(job.absent):
        member = job.members.get(name)
        if member is None or member.disconnected_s is None:
            continue  # lost meanwhile, with another one
        away_s = turn.now - member.disconnected_s
        if away_s >= limits.disconnect_grace_s:
            reason = f"{name} had no connection for {away_s:.3f} s (disconnect_grace_s)"
            lose(turn, name, reason, noticed_s=member.disconnected_s)
    if turn.now < job.next_scan_s:
        return
    job.next_scan_s = turn.now + limits.heartbeat_s
    silent = [m for m in job.members.values() if turn.now - m.heard_s >= limits.lease_s]
    for member in silent:
        if member.name in job.members:
            reason = f"{member.name} was silent for {turn.now - member.heard_s:.3f} s (lease_s)"
            lose(turn, member.name, reason, noticed_s=member.heard_s)

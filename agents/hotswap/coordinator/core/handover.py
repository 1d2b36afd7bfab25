"""A planned swap from the vote that put its epoch in force until the former owner is released.

Nobody asks the coordinator: the first member that says it has switched is how it learns that the
epoch is in force. Every other owner has seen, or will see, the same vote, or the epoch dies.
"""

from hotswap.coordinator.core import mirrors, planned, takeovers
from hotswap.coordinator.core.job import Job
from hotswap.coordinator.core.planned_state import VOTED, PlannedSwap, SwapPhase
from hotswap.coordinator.core.swap_record import PhaseTime, SwapRecord
from hotswap.coordinator.core.turn import Turn
from hotswap.wire.messages import Release, Resumed, Switched, TakeOver, Verified


def heard_epoch(turn: Turn, sender: str, epoch: int, *, committed: int) -> None:
    """Note in which epoch a member says it is: that may be how a swap shows to be in force."""
    job, swap = turn.job, turn.job.swap
    if swap is None or epoch != swap.next_epoch or swap.phase not in VOTED:
        return
    if sender not in job.owners and sender != swap.target:
        return
    take_force(turn, swap, step=committed)
    turn.broadcast([swap.target], take_over_command(job, swap))


def take_force(turn: Turn, swap: PlannedSwap, *, step: int | None) -> None:
    """The swap's epoch is the one in force, from ``step`` on."""
    job = turn.job
    swap.phase = SwapPhase.IN_FORCE
    swap.began_s[SwapPhase.IN_FORCE] = turn.now
    swap.abort_reason = ""
    swap.step = step
    job.disarm = None
    job.epoch = swap.next_epoch
    job.take_seats(swap.seats)
    job.start = None
    if step is not None:
        job.committed = max(job.committed, step)
        job.began_at = step
    turn.persist()
    turn.notify("swap_phase", rank=swap.rank, member=swap.target, text=swap.phase.value, step=step)


def take_over_command(job: Job, swap: PlannedSwap) -> TakeOver:
    """Return what makes the newcomer own the rank, if its former owner has not said so."""
    assert swap.step is not None, "a swap in force has a step"
    return TakeOver(token=job.token, epoch=swap.next_epoch, rank=swap.rank, committed=swap.step)


def switched(turn: Turn, sender: str, message: Switched) -> None:
    """Note the end of the last vote on one rank."""
    heard_epoch(turn, sender, message.epoch, committed=message.committed)
    swap = turn.job.swap
    if swap is not None and swap.phase is SwapPhase.IN_FORCE and message.epoch == swap.next_epoch:
        # exact, where a heartbeat may have come after further steps
        swap.step = message.committed
        swap.vote_ended_s[sender] = message.vote_ended_monotonic_s
        complete_if_measured(turn)


def resumed(turn: Turn, sender: str, message: Resumed) -> None:
    """Note the first work of the new epoch on one rank."""
    heard_epoch(turn, sender, message.epoch, committed=message.step)
    swap = turn.job.swap
    if swap is not None and swap.phase is SwapPhase.IN_FORCE and message.epoch == swap.next_epoch:
        swap.resumed_s.setdefault(sender, message.at_monotonic_s)
        complete_if_measured(turn)


def committed(turn: Turn, epoch: int, *, steps: int) -> None:
    """A step was committed in the new epoch, so every rank is in it: release the former owner."""
    swap = turn.job.swap
    if swap is None or swap.phase is not SwapPhase.IN_FORCE or swap.released:
        return
    if epoch != swap.next_epoch or swap.step is None or steps <= swap.step:
        return
    swap.released = True
    release(turn, swap.origin)
    complete_if_measured(turn)


def release(turn: Turn, origin: str) -> None:
    """Let the former owner go: its state is of no use any more."""
    job = turn.job
    turn.broadcast([origin], Release(token=job.token))
    job.dismiss(origin)
    turn.persist()


def complete_if_measured(turn: Turn) -> None:
    """Say that the swap is complete once it is, and once the pause of every rank is known."""
    swap = turn.job.swap
    if swap is None or not swap.released:
        return
    survivors = {seat.member for seat in swap.seats if seat.member != swap.target}
    if survivors <= swap.vote_ended_s.keys() and swap.resumed_s.keys() >= {
        *survivors,
        swap.target,
    }:
        complete(turn)


def check_limits(turn: Turn) -> None:
    """Do not wait for ever for what was only to be measured."""
    swap = turn.job.swap
    if swap is None or swap.phase is not SwapPhase.IN_FORCE or not swap.released:
        return
    if turn.now - swap.began_s.get(SwapPhase.IN_FORCE, 0.0) >= turn.job.limits.certificate_s:
        complete(turn)


def complete(turn: Turn) -> None:
    """The rank has changed hands for good."""
    job, swap = turn.job, turn.job.swap
    assert swap is not None, "only a swap in flight can be complete"
    record = _record(job, swap)
    job.swap = None
    turn.notify(
        "swap_completed",
        rank=swap.rank,
        member=swap.target,
        step=swap.step,
        text=f"swap {swap.id}: {swap.reason}" if swap.reason else f"swap {swap.id}",
        values={**takeovers.milliseconds(record), "steps_lost": 0.0},
    )
    takeovers.open_certificate(turn, record)
    turn.persist()
    mirrors.assign(turn)


def verified(turn: Turn, message: Verified) -> None:
    """Keep the digests of the state at the switch until the certificate is opened."""
    swap = turn.job.swap
    if swap is None or message.swap != swap.id or message.step != swap.step:
        return
    if message.kind == "owner":
        swap.digest_before = message.digest
    else:
        swap.digest_after = message.digest


def _record(job: Job, swap: PlannedSwap) -> SwapRecord:
    began = swap.began_s
    spans = {
        "copy": (SwapPhase.COPYING, SwapPhase.PREPARING),
        "prepare": (SwapPhase.PREPARING, SwapPhase.VERIFYING),
        "verify": (SwapPhase.VERIFYING, SwapPhase.BINDING),
        "bind": (SwapPhase.BINDING, SwapPhase.ARMED),
        "armed": (SwapPhase.ARMED, SwapPhase.IN_FORCE),
    }
    phases = {
        name: takeovers.span(began.get(first), began.get(last))
        for name, (first, last) in spans.items()
    }
    phases["pause"] = PhaseTime(started_s=began.get(SwapPhase.IN_FORCE), duration_s=_pause_s(swap))
    return SwapRecord(
        id=swap.id,
        kind="planned",
        rank=swap.rank,
        from_member=swap.origin,
        to_member=swap.target,
        epoch_before=swap.former_epoch,
        epoch_after=swap.next_epoch,
        step=swap.step,
        digest_before=swap.digest_before,
        digest_after=swap.digest_after,
        mismatched=swap.mismatched,
        phases=phases,
        leader=job.config.name,
        token=job.token,
        cause=swap.reason,
        steps_lost=0,
    )


def _pause_s(swap: PlannedSwap) -> float | None:
    """Longest time from the end of the last vote to the first work of the new epoch.

    On each survivor by its own clock. The newcomer has seen no vote: it is compared with the
    latest end of the vote on its own machine, where the clock is the same. None: not known.
    """
    pauses = []
    for seat in swap.seats:
        ended_s = swap.vote_ended_s.get(seat.member)
        if seat.member == swap.target:
            beside = [
                swap.vote_ended_s[other.member]
                for other in swap.seats
                if other.endpoint.host == seat.endpoint.host and other.member in swap.vote_ended_s
            ]
            if not beside:
                continue
            ended_s = max(beside)
        begun_s = swap.resumed_s.get(seat.member)
        if ended_s is None or begun_s is None:
            return None
        pauses.append(begun_s - ended_s)
    return max(pauses, default=None)


def settle(turn: Turn, owner: str) -> None:
    """The swap's epochs are dead, and ``owner`` owns the rank in the next one: what came of it."""
    swap = turn.job.swap
    assert swap is not None, "there is a swap to settle"
    if swap.phase is SwapPhase.IN_FORCE and owner == swap.target:
        complete(turn)
        return
    if swap.phase is SwapPhase.IN_FORCE:
        swap.abort_reason = f"{swap.target} did not keep the rank until a step was committed"
    elif not swap.abort_reason:
        swap.abort_reason = "the epoch died before the swap had taken force"
    planned.ended(turn)

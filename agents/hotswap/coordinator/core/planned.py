"""A planned swap, from its request until its epoch is in force or it was given up.

A phase ends when what it waits for is there; `advance` looks, and may be called at any time.
Nothing here stops the job: training goes on in the present epoch until a vote is unanimous for the
next one.
"""

from typing import Final

from hotswap.coordinator.core import mirrors, readiness
from hotswap.coordinator.core.job import Job
from hotswap.coordinator.core.planned_state import UNARMED, VOTED, PlannedSwap, SwapPhase
from hotswap.coordinator.core.turn import Turn
from hotswap.wire.messages import (
    Arm,
    BindNext,
    Disarm,
    Message,
    Prepared,
    Seat,
    Verified,
    Verify,
)

#: Steps after which digests are asked for again.
VERIFY_PATIENCE_STEPS: Final = 8
#: Digests that are kept of each side: one may be so many steps behind the other.
DIGESTS_MAX: Final = 16
#: Longest reason that goes into a message, in characters.
REASON_LENGTH_MAX: Final = 500


def begin(turn: Turn, swap: PlannedSwap) -> None:
    """Start with the copy and the model, which the target makes at the same time."""
    job = turn.job
    job.swap = swap
    _enter(turn, swap, SwapPhase.COPYING)
    mirrors.assign(turn)
    readiness.ask(turn, swap.target, swap.rank)
    advance(turn)


def advance(turn: Turn) -> None:
    """Go through the phases whose end has come."""
    swap = turn.job.swap
    while swap is not None and turn.job.swap is swap and _is_over(turn.job, swap):
        match swap.phase:
            case SwapPhase.COPYING:
                _enter(turn, swap, SwapPhase.PREPARING)
            case SwapPhase.PREPARING:
                _verify(turn, swap)
            case SwapPhase.VERIFYING:
                _bind(turn, swap)
            case SwapPhase.BINDING:
                _arm(turn, swap)


def _is_over(job: Job, swap: PlannedSwap) -> bool:
    """Whether the present phase has got what it waits for."""
    over = False
    match swap.phase:
        case SwapPhase.COPYING:
            view = job.mirror_view(swap.rank, swap.target)
            over = view is not None and view.usable
        case SwapPhase.PREPARING:
            target = job.members.get(swap.target)
            over = target is not None and target.prepared_rank == swap.rank
        case SwapPhase.VERIFYING:
            over = not swap.owner_digests.items().isdisjoint(swap.mirror_digests.items())
        case SwapPhase.BINDING:
            over = not swap.unbound
    return over


def _enter(turn: Turn, swap: PlannedSwap, phase: SwapPhase) -> None:
    swap.phase = phase
    swap.began_s[phase] = turn.now
    turn.notify("swap_phase", rank=swap.rank, member=swap.target, text=phase.value)


def _verify(turn: Turn, swap: PlannedSwap) -> None:
    _enter(turn, swap, SwapPhase.VERIFYING)
    _ask_to_verify(turn, swap)


def _ask_to_verify(turn: Turn, swap: PlannedSwap) -> None:
    swap.verify_step = turn.job.committed + 1
    turn.broadcast([swap.origin, swap.target], _verify_command(turn.job, swap))


def _verify_command(job: Job, swap: PlannedSwap) -> Verify:
    return Verify(token=job.token, swap=swap.id, rank=swap.rank, at_step=swap.verify_step)


def committed(turn: Turn) -> None:
    """Ask again for digests that have not come: a mirror that was behind has compared nothing."""
    swap = turn.job.swap
    if (
        swap is not None
        and swap.phase is SwapPhase.VERIFYING
        and turn.job.committed >= swap.verify_step + VERIFY_PATIENCE_STEPS
    ):
        _ask_to_verify(turn, swap)


def _bind(turn: Turn, swap: PlannedSwap) -> None:
    """Give the swap its epoch, and connect that epoch's groups."""
    job = turn.job
    target = job.members[swap.target]
    assert target.endpoint is not None, "a member has said where it listens"
    job.highest_epoch += 1
    swap.former_epoch = job.epoch
    swap.next_epoch = job.highest_epoch
    newcomer = Seat(rank=swap.rank, member=swap.target, endpoint=target.endpoint)
    swap.seats = (*job.seats[: swap.rank], newcomer, *job.seats[swap.rank + 1 :])
    swap.unbound = dict.fromkeys(seat.member for seat in swap.seats)
    swap.mismatched = ()
    turn.persist()
    _enter(turn, swap, SwapPhase.BINDING)
    turn.broadcast(swap.unbound, _bind_command(job, swap))


def _bind_command(job: Job, swap: PlannedSwap) -> BindNext:
    # A survivor's store: the newcomer is the one that is least sure to live.
    seat = next((seat for seat in swap.seats if seat.rank != swap.rank), swap.seats[0])
    return BindNext(
        token=job.token,
        swap=swap.id,
        epoch=swap.next_epoch,
        roster=swap.seats,
        store=seat.endpoint,
    )


def _arm(turn: Turn, swap: PlannedSwap) -> None:
    """From here on the swap may take force at any time, without anybody asking."""
    _enter(turn, swap, SwapPhase.ARMED)
    turn.persist()
    turn.broadcast([*turn.job.owners, swap.target], _arm_command(turn.job, swap))


def _arm_command(job: Job, swap: PlannedSwap) -> Arm:
    return Arm(
        token=job.token,
        swap=swap.id,
        epoch=swap.next_epoch,
        rank=swap.rank,
        target=swap.target,
    )


# ---------------------------------------------------------------------------- what is reported


def prepared(turn: Turn, sender: str, message: Prepared) -> None:
    """Note that a standby has built a model."""
    readiness.prepared(turn, sender, message)
    advance(turn)


def bound(turn: Turn, sender: str, epoch: int) -> None:
    """Note that a member has connected the next epoch's groups."""
    swap = turn.job.swap
    if swap is not None and epoch == swap.next_epoch:
        swap.unbound.pop(sender, None)
        advance(turn)


def verified(turn: Turn, message: Verified) -> None:
    """Compare owner and mirror; a difference ends the swap, equality is one condition of it."""
    swap = turn.job.swap
    if swap is None or message.swap != swap.id or swap.phase is not SwapPhase.VERIFYING:
        return
    digests = swap.owner_digests if message.kind == "owner" else swap.mirror_digests
    digests[message.step] = message.digest
    while len(digests) > DIGESTS_MAX:
        del digests[min(digests)]
    other = swap.mirror_digests if message.kind == "owner" else swap.owner_digests
    differs = other.get(message.step, message.digest) != message.digest
    if not differs and not message.mismatched:
        advance(turn)
        return
    view = turn.job.mirror_view(swap.rank, swap.target)
    if view is not None:
        view.intact = False
    names = ", ".join(message.mismatched) or "tensors unknown"
    turn.notify("corruption", rank=swap.rank, step=message.step, member=swap.target, text=names)
    abort(turn, f"owner and mirror of rank {swap.rank} differ at step {message.step}: {names}")


# ----------------------------------------------------------------------------------- giving up


def abort(turn: Turn, reason: str) -> None:
    """Give the swap up. Once it is armed, only a member's answer tells whether that was in time."""
    job, swap = turn.job, turn.job.swap
    if swap is None or swap.phase is SwapPhase.IN_FORCE or swap.abort_reason:
        return
    swap.abort_reason = reason
    if swap.phase in UNARMED:
        ended(turn)
    else:
        _enter(turn, swap, SwapPhase.DISARMING)
        turn.persist()
    if swap.next_epoch:
        job.disarm = disarm_command(job, swap)
        turn.broadcast(dict.fromkeys([*job.owners, swap.target]), job.disarm)


def disarm_command(job: Job, swap: PlannedSwap) -> Disarm:
    """Return what makes owners vote for the present epoch only."""
    return Disarm(
        token=job.token,
        swap=swap.id,
        epoch=swap.next_epoch,
        reason=swap.abort_reason[:REASON_LENGTH_MAX],
    )


def disarmed(turn: Turn, sender: str, epoch: int) -> None:
    """One owner that will not vote for the swap is enough: no vote can be unanimous any more."""
    swap = turn.job.swap
    if (
        swap is not None
        and swap.phase is SwapPhase.DISARMING
        and epoch == swap.next_epoch
        and sender in turn.job.owners
    ):
        ended(turn)


def ended(turn: Turn) -> None:
    """The swap was given up, and the job is untouched."""
    swap = turn.job.swap
    assert swap is not None, "only a swap in flight can be given up"
    turn.job.swap = None
    turn.persist()
    text = f"swap {swap.id}: {swap.abort_reason}"
    turn.notify("swap_aborted", rank=swap.rank, member=swap.target, text=text)
    mirrors.assign(turn)


def check_limits(turn: Turn) -> None:
    """Give up a swap whose phase has taken too long."""
    swap, limits = turn.job.swap, turn.job.limits
    if swap is None or swap.phase in (SwapPhase.DISARMING, SwapPhase.IN_FORCE):
        return
    passed_s = turn.now - swap.began_s.get(SwapPhase.COPYING, turn.now)
    binding_s = turn.now - swap.began_s.get(SwapPhase.BINDING, turn.now)
    if passed_s >= limits.swap_s:
        abort(turn, f"not in force within swap_s = {limits.swap_s:g} s")
    elif swap.next_epoch == 0 and passed_s >= limits.prepare_s:
        abort(turn, f"{swap.target} was not ready within prepare_s = {limits.prepare_s:g} s")
    elif swap.phase is SwapPhase.BINDING and binding_s >= limits.bind_s:
        late = ", ".join(swap.unbound)
        abort(turn, f"{late} did not connect within bind_s = {limits.bind_s:g} s")


def remind(turn: Turn, name: str) -> None:
    """Send a member that has come back what it may have missed; each command may come twice."""
    job, swap = turn.job, turn.job.swap
    if job.disarm is not None:
        turn.send(name, job.disarm)
    if swap is None or swap.abort_reason:
        return
    commands: list[Message] = []
    if name in (swap.origin, swap.target) and swap.phase is SwapPhase.VERIFYING:
        commands.append(_verify_command(job, swap))
    binding = swap.phase in (SwapPhase.BINDING, *VOTED)
    if binding and any(seat.member == name for seat in swap.seats):
        commands.append(_bind_command(job, swap))
    if swap.phase is SwapPhase.ARMED and (name in job.owners or name == swap.target):
        commands.append(_arm_command(job, swap))
    for command in commands:
        turn.send(name, command)

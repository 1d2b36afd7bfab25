"""What members report, and what each report sets off."""

from collections.abc import Callable
from typing import Any

from hotswap.coordinator.core import (
    ending,
    handover,
    membership,
    mirrors,
    planned,
    readiness,
    recovery,
    takeovers,
)
from hotswap.coordinator.core.job import LIVING
from hotswap.coordinator.core.planned_state import VOTED, SwapPhase
from hotswap.coordinator.core.turn import Turn
from hotswap.wire import messages
from hotswap.wire.messages import Message


def ignore(turn: Turn, sender: str, message: Message) -> None:
    """Nothing else is a member's to say."""


def _heartbeat(turn: Turn, sender: str, message: messages.Heartbeat) -> None:
    handover.heard_epoch(turn, sender, message.epoch, committed=message.committed)
    _applied(turn, sender, epoch=message.epoch, steps=message.committed)


def _committed(turn: Turn, sender: str, message: messages.Committed) -> None:
    job = turn.job
    handover.heard_epoch(turn, sender, message.epoch, committed=message.step)
    _applied(turn, sender, epoch=message.epoch, steps=message.step + 1)
    if message.epoch == job.epoch and job.resuming and job.phase in LIVING:
        # Every rank takes part in a vote, so every rank works, whether it has said so or not.
        job.resuming.clear()
        takeovers.complete(turn)
    if message.epoch == job.epoch and job.owners.get(sender) == message.rank:
        mirrors.protected(turn, message.rank, message.protected_by)
    if message.epoch >= job.restored_epoch:
        for notice in job.progress.add(message, world_size=job.config.world_size):
            turn.tell(notice)


def _applied(turn: Turn, sender: str, *, epoch: int, steps: int) -> None:
    """Note that an owner has applied so many steps in an epoch of the present history."""
    job = turn.job
    if sender not in job.owners or epoch < max(job.restored_epoch, 1):
        return
    job.members[sender].committed = steps
    job.committed = max(job.committed, steps)
    planned.committed(turn)
    handover.committed(turn, epoch, steps=steps)


def _peer_lost(turn: Turn, sender: str, message: messages.PeerLost) -> None:
    job, swap = turn.job, turn.job.swap
    if job.finished and message.epoch == job.epoch:
        # Somebody has passed the barrier behind the last step, so this member's steps are done.
        turn.send(sender, messages.Shutdown(token=job.token, ok=True, reason="every step is done"))
        ending.done(turn, sender)
        return
    stuck = (
        swap is not None
        and swap.phase is SwapPhase.IN_FORCE
        and message.epoch == swap.former_epoch
        and not swap.released
    )
    if message.epoch == job.epoch or stuck:
        cause = f"{sender} lost a peer: {message.detail}"
        recovery.kill(turn, cause, noticed_s=turn.now)
    elif swap is not None and message.epoch == swap.next_epoch and swap.phase not in VOTED:
        planned.abort(turn, f"{sender} could not connect: {message.detail}")


def _mirror_report(turn: Turn, sender: str, message: messages.MirrorReport) -> None:
    mirrors.report(turn, sender, message)
    # A swap may have waited for this copy.
    planned.advance(turn)
    readiness.choose(turn, sender)


def _unwound(turn: Turn, sender: str, message: messages.Unwound) -> None:
    job = turn.job
    mirrors.learn(turn, sender, message.holdings)
    recovery.reported(turn, sender, message)
    if job.recovery is None and message.epoch >= job.epoch and sender in job.owners:
        recovery.kill(turn, f"{sender} has left epoch {job.epoch}", noticed_s=turn.now)


def _resumed(turn: Turn, sender: str, message: messages.Resumed) -> None:
    handover.resumed(turn, sender, message)
    takeovers.resumed(turn, sender, message)


def _verified(turn: Turn, sender: str, message: messages.Verified) -> None:
    del sender
    handover.verified(turn, message)
    planned.verified(turn, message)
    takeovers.verified(turn, message)


def _restore_failed(turn: Turn, sender: str, message: messages.RestoreFailed) -> None:
    job = turn.job
    if message.epoch == job.epoch and job.phase in LIVING:
        job.checkpoint_before = message.step
        cause = f"{sender} could not load the checkpoint of step {message.step}: {message.detail}"
        recovery.kill(turn, cause, noticed_s=turn.now)


def _finished(turn: Turn, sender: str, message: messages.Finished) -> None:
    if message.ok:
        ending.finished(turn, sender, message)
    else:
        reason = f"the script of {sender} has failed: {message.detail}"
        membership.lose(turn, sender, reason, noticed_s=turn.now)


#: What each message of a member sets off: (turn, sender, message).
FROM_MEMBER: dict[type[Message], Callable[[Turn, str, Any], None]] = {
    messages.Bound: lambda turn, sender, message: planned.bound(turn, sender, message.epoch),
    messages.Committed: _committed,
    messages.CorruptionFound: mirrors.corruption,
    messages.Disarmed: lambda turn, sender, message: planned.disarmed(turn, sender, message.epoch),
    messages.Finished: _finished,
    messages.Heartbeat: _heartbeat,
    messages.MirrorReport: _mirror_report,
    messages.PeerLost: _peer_lost,
    messages.Prepared: planned.prepared,
    messages.ProtectionLost: mirrors.protection_lost,
    messages.RestoreFailed: _restore_failed,
    messages.Resumed: _resumed,
    messages.Switched: handover.switched,
    messages.Unwound: _unwound,
    messages.Verified: _verified,
}

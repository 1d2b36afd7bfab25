"""Unplanned changes of owner, from the loss to the certificate; and every certificate."""

import msgspec

from hotswap.coordinator.core.job import Job, Recovery
from hotswap.coordinator.core.swap_record import PhaseTime, SwapRecord
from hotswap.coordinator.core.takeover_state import OpenCertificate, Takeover
from hotswap.coordinator.core.turn import Turn
from hotswap.wire.messages import Resumed, Verified


def next_id(job: Job, kind: str, rank: int) -> str:
    """Return an id that no swap or takeover of the job had before."""
    job.swaps += 1
    return f"{job.swaps:04d}-{kind}-rank-{rank}"


def open_takeover(
    turn: Turn, *, rank: int, from_member: str, to_member: str, steps_lost: int | None
) -> Takeover:
    """Note that the next epoch gives ``rank`` to another member."""
    job, recovery = turn.job, turn.job.recovery
    assert recovery is not None, "a rank is taken over after an epoch has died"
    # A rank that is lost again before it was certified keeps its first account.
    first = job.takeovers.get(rank)
    takeover = Takeover(
        id=next_id(job, "unplanned", rank) if first is None else first.id,
        rank=rank,
        from_member=from_member if first is None else first.from_member,
        to_member=to_member,
        epoch_before=job.epoch if first is None else first.epoch_before,
        cause=recovery.cause if first is None else f"{first.cause}; then {recovery.cause}",
        steps_lost=steps_lost,
        noticed_s=recovery.noticed_s if first is None else first.noticed_s,
        dead_s=recovery.dead_s,
        unwound_s=recovery.unwound_s,
        started_s=turn.now,
    )
    job.takeovers[rank] = takeover
    return takeover


def resumed(turn: Turn, sender: str, message: Resumed) -> None:
    """Note that a member works in the new epoch; once all do, takeovers are complete."""
    job = turn.job
    if message.epoch != job.epoch or sender not in job.resuming:
        return
    del job.resuming[sender]
    if not job.resuming:
        complete(turn)


def complete(turn: Turn) -> None:
    """Every rank computes again: say so, and certify once the digests are known."""
    job = turn.job
    for takeover in job.takeovers.values():
        record = _record(job, takeover, now=turn.now)
        values = milliseconds(record)
        if takeover.steps_lost is not None:
            values["steps_lost"] = float(takeover.steps_lost)
        turn.notify(
            "unplanned_completed",
            rank=takeover.rank,
            member=takeover.to_member,
            step=record.step,
            text=f"swap {takeover.id}: {takeover.cause}",
            values=values,
        )
        open_certificate(turn, record)
    if job.takeovers:
        job.takeovers.clear()
        turn.persist()


def _record(job: Job, takeover: Takeover, *, now: float) -> SwapRecord:
    started_s = takeover.started_s
    # Under a leader that did not see it begin nobody knows how long it took.
    end_s = None if started_s is None else now
    spans = {
        "detect": (takeover.noticed_s, takeover.dead_s),
        "unwind": (takeover.dead_s, takeover.unwound_s),
        "bind": (started_s, end_s),
        "stall": (takeover.noticed_s, end_s),
    }
    return SwapRecord(
        id=takeover.id,
        kind="unplanned",
        rank=takeover.rank,
        from_member=takeover.from_member,
        to_member=takeover.to_member,
        epoch_before=takeover.epoch_before,
        epoch_after=job.epoch,
        step=job.committed if job.start is None else job.start.committed,
        digest_before=None,
        digest_after=takeover.digest_after,
        mismatched=None,
        phases={name: span(begin_s, end) for name, (begin_s, end) in spans.items()},
        leader=job.config.name,
        token=job.token,
        cause=takeover.cause,
        steps_lost=takeover.steps_lost,
    )


def span(begin_s: float | None, end_s: float | None) -> PhaseTime:
    """Return a phase from ``begin_s`` to ``end_s`` on one clock."""
    if begin_s is None or end_s is None:
        return PhaseTime(started_s=begin_s, duration_s=None)
    return PhaseTime(started_s=begin_s, duration_s=end_s - begin_s)


def milliseconds(record: SwapRecord) -> dict[str, float]:
    """Return how long the phases took that somebody has measured."""
    return {
        f"{name}_ms": phase.duration_s * 1000
        for name, phase in record.phases.items()
        if phase.duration_s is not None
    }


def begin_recovery(job: Job, recovery: Recovery) -> None:
    """Nobody resumes any more in the epoch that has died; its takeovers are not complete."""
    job.recovery = recovery
    job.resuming.clear()


# -------------------------------------------------------------------------------- certificates


def open_certificate(turn: Turn, record: SwapRecord) -> None:
    """Certify a change of owner once its digests are there, or ``certificate_s`` has passed."""
    due_s = turn.now + turn.job.limits.certificate_s
    turn.job.certificates[record.id] = OpenCertificate(record=record, due_s=due_s)
    if is_whole(record):
        write(turn, record.id)


def verified(turn: Turn, message: Verified) -> None:
    """Take the digest of the state that was handed over, or as it was taken over."""
    job = turn.job
    takeover = job.takeovers.get(message.rank)
    if takeover is not None and takeover.id == message.swap and message.kind == "mirror":
        takeover.digest_after = message.digest
    certificate = job.certificates.get(message.swap)
    if certificate is None or message.step != certificate.record.step:
        return
    certificate.record = with_digest(certificate.record, message)
    if is_whole(certificate.record):
        write(turn, message.swap)


def with_digest(record: SwapRecord, message: Verified) -> SwapRecord:
    """Return ``record`` with the digest of ``message``."""
    field = "digest_before" if message.kind == "owner" else "digest_after"
    return msgspec.structs.replace(record, **{field: message.digest})


def is_whole(record: SwapRecord) -> bool:
    """Whether nothing more can become known: nobody digests a state that was lost."""
    before = record.kind == "unplanned" or record.digest_before is not None
    return before and record.digest_after is not None


def write(turn: Turn, swap: str) -> None:
    """Write a certificate as it is."""
    certificate = turn.job.certificates.pop(swap)
    turn.certify(certificate.record)
    turn.persist()


def write_all(turn: Turn) -> None:
    """Write every certificate that is open as it is: the job is over, and nobody digests more."""
    for key in list(turn.job.certificates):
        write(turn, key)


def write_due(turn: Turn) -> None:
    """Write the certificates whose digests did not come in time."""
    due = [key for key, each in turn.job.certificates.items() if each.due_s <= turn.now]
    for key in due:
        write(turn, key)

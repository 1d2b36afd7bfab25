"""A change of owner, as the core tells it, becomes the certificate that is kept."""

from datetime import UTC, datetime, timedelta
from typing import Final

from hotswap.coordinator.core.swap_record import PhaseTime, SwapRecord
from hotswap.transfer.certificate import Certificate, Phase

_MICROSECONDS: Final = 1_000_000


def certificate_of(record: SwapRecord, *, job: str, now_s: float, now_utc: datetime) -> Certificate:
    """Return the certificate of ``record``.

    Args:
        record: times in it are of the coordinator's monotonic clock.
        job: name of the job.
        now_s: this moment on that clock.
        now_utc: this moment by the calendar.

    Raises:
        ValueError: the record contradicts itself, or its id can't be part of a file's name.

    """
    return Certificate(
        swap_id=record.id,
        job=job,
        rank=record.rank,
        kind=record.kind,
        cause=record.cause,
        from_member=record.from_member,
        to_member=record.to_member,
        epoch_before=record.epoch_before,
        epoch_after=record.epoch_after,
        step=record.step,
        digest_before=record.digest_before,
        digest_after=record.digest_after,
        mismatches=record.mismatched,
        steps_lost=record.steps_lost,
        # what a rank consumed stands in its ledger, which the coordinator does not read
        samples_consumed=None,
        samples_digest=None,
        phases={
            name: _phase(time, since=now_utc - timedelta(seconds=now_s))
            for name, time in record.phases.items()
        },
        leader=record.leader,
        token=record.token,
    )


def _phase(time: PhaseTime, *, since: datetime) -> Phase:
    """Return a phase by the calendar; ``since`` is when the monotonic clock stood at 0."""
    started_at = duration_us = None
    if time.started_s is not None:
        started = since + timedelta(seconds=time.started_s)
        started_at = started.astimezone(UTC).isoformat(timespec="microseconds")
    # clocks of two machines can't be compared: what seems to end before it began is not known
    if time.duration_s is not None and time.duration_s >= 0:
        duration_us = round(time.duration_s * _MICROSECONDS)
    return Phase(started_at=started_at, duration_us=duration_us)

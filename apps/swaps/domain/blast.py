"""What keeps a swap from starting: blast radius, the brake, and the stop-loss."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.swaps.domain import limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """How many planned swaps may be under way at once."""

    # in one job
    per_job: int = limits.PER_JOB_MAX
    # with source or target in one rack
    per_rack: int = limits.PER_RACK_MAX
    # in one tenant
    per_tenant: int = limits.PER_TENANT_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """Other planned swaps that are being carried out."""

    # of the same job
    in_job: int = 0
    # by rack of this swap: name -> swaps that touch it
    in_racks: Mapping[str, int]
    # of the same tenant
    in_tenant: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failed swap of a rank."""

    # when it failed
    at: datetime
    # stable code of what failed
    cause: str


def radius_refusal(*, radius: Radius, under_way: UnderWay) -> str | None:
    """Say which limit one more swap would break; None: none."""
    if under_way.in_job >= radius.per_job:
        return _full("this job", under_way.in_job, radius.per_job)
    for rack, swaps in sorted(under_way.in_racks.items()):
        if swaps >= radius.per_rack:
            return _full(f"rack {rack}", swaps, radius.per_rack)
    if under_way.in_tenant >= radius.per_tenant:
        return _full("this tenant", under_way.in_tenant, radius.per_tenant)
    return None


def _full(where: str, swaps: int, limit: int) -> str:
    noun = "swap is" if swaps == 1 else "swaps are"
    return f"{swaps} {noun} under way in {where}, which may have {limit} at once"


def stop_loss_cause(*, failures: Sequence[Failure], now: datetime) -> str | None:
    """Return the cause of which a rank has failed too often of late; None: there is none."""
    counts: dict[str, int] = {}
    for failure in failures:
        if now - failure.at <= limits.STOP_LOSS_WINDOW:
            counts[failure.cause] = counts.get(failure.cause, 0) + 1
    full = [cause for cause, count in counts.items() if count >= limits.STOP_LOSS_FAILURES]
    return min(full, default=None)

"""What holds swaps back: brake, blast radius, stop-loss."""

from datetime import datetime
from uuid import UUID

from django.db.models import Q

from apps.swaps.domain import limits
from apps.swaps.domain.blast import Failure, Radius, UnderWay, radius_refusal, stop_loss_cause
from apps.swaps.domain.states import State
from apps.swaps.models import Brake, Hold, Swap, SwapLimit
from apps.swaps.models.swaps import ACTING_STATES


def brake_of(*, tenant_id: UUID) -> Brake | None:
    """Return the brake that is on in a tenant; None: none is."""
    return Brake.objects.filter(tenant_id=tenant_id, released_at=None).first()


def hold_of(*, job_id: UUID, rank: int) -> Hold | None:
    """Return what holds a rank; None: nothing does."""
    return Hold.objects.filter(job_id=job_id, rank=rank, released_at=None).first()


def radius_of(*, tenant_id: UUID) -> Radius:
    """Return how many swaps a tenant lets be under way at once."""
    row = SwapLimit.objects.filter(tenant_id=tenant_id).first()
    if row is None:
        return Radius()
    return Radius(per_job=row.per_job, per_rack=row.per_rack, per_tenant=row.per_tenant)


def radius_refusal_for(*, swap: Swap, racks: dict[UUID, str]) -> str | None:
    """Say which limit a swap would break if it began now; None: none.

    Args:
        swap: which.
        racks: names of the racks of its source and target, by id.
    """
    others = Swap.objects.filter(
        tenant_id=swap.tenant_id, kind="planned", state__in=ACTING_STATES
    ).exclude(id=swap.id)
    in_racks = {
        name: others.filter(Q(source_node__rack_id=rack) | Q(target_node__rack_id=rack)).count()
        for rack, name in racks.items()
    }
    under_way = UnderWay(
        in_job=others.filter(job_id=swap.job_id).count(),
        in_racks=in_racks,
        in_tenant=others.count(),
    )
    return radius_refusal(radius=radius_of(tenant_id=swap.tenant_id), under_way=under_way)


def racks_of(swap: Swap) -> dict[UUID, str]:
    """Return the racks that a swap touches, by id."""
    racks = [node.rack for node in (swap.source_node, swap.target_node) if node is not None]
    return {rack.id: rack.name for rack in racks if rack is not None}


def stop_loss_of(*, job_id: UUID, rank: int, now: datetime) -> str | None:
    """Return the cause of which swaps of a rank have failed too often of late; None: none."""
    rows = Swap.objects.filter(
        job_id=job_id,
        rank=rank,
        kind="planned",
        state=State.FAILED.value,
        ended_at__gte=now - limits.STOP_LOSS_WINDOW,
    )
    released = Hold.objects.filter(job_id=job_id, rank=rank).exclude(released_at=None)
    last = released.order_by("-released_at").values_list("released_at", flat=True).first()
    failures = [
        Failure(at=ended_at, cause=str((failure or {}).get("code", "")))
        for ended_at, failure in rows.values_list("ended_at", "failure")
        # what came before a person released the hold is forgiven
        if ended_at is not None and (last is None or ended_at > last)
    ]
    return stop_loss_cause(failures=failures, now=now)


def held_by(*, swap: Swap) -> str | None:
    """Say why a swap may not begin now; None: it may."""
    brake = brake_of(tenant_id=swap.tenant_id)
    if brake is not None:
        return f"the brake is on since {brake.created_at.isoformat(timespec='seconds')}"
    hold = hold_of(job_id=swap.job_id, rank=swap.rank)
    if hold is not None:
        return f"rank {swap.rank} is held: {hold.cause} again and again"
    return radius_refusal_for(swap=swap, racks=racks_of(swap))

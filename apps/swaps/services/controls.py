"""The brake, the limits, and the release of held ranks; none of them stops a recovery."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.audit.services import audit_record
from apps.core import outbox
from apps.core.access import Actor
from apps.core.errors import Invalid, NotFound
from apps.swaps.domain.blast import Radius
from apps.swaps.domain.limits import REASON_LENGTH_MAX
from apps.swaps.models import Brake, Hold, SwapLimit
from apps.swaps.selectors.controls import brake_of

#: Most that a limit can be set to: above it, it limits nothing.
LIMIT_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How the brake is to be."""

    # on or off
    engaged: bool
    # why; needed for on
    reason: str = ""


@transaction.atomic
def brake_set(*, tenant_id: UUID, wanted: Wanted, actor: Actor, now: datetime) -> Brake | None:
    """Engage or release a tenant's brake; return the one that is on. Repeating changes nothing.

    Raises:
        Invalid: engaging without a reason.
    """
    brake = brake_of(tenant_id=tenant_id)
    if wanted.engaged is (brake is not None):
        return brake
    if wanted.engaged:
        if not wanted.reason.strip() or len(wanted.reason) > REASON_LENGTH_MAX:
            text = f"Say why, in at most {REASON_LENGTH_MAX} characters."
            raise Invalid(text, fields={"reason": [text]})
        # brake_on_once: a second one at the same time finds the first
        brake, _ = Brake.objects.get_or_create(
            tenant_id=tenant_id,
            released_at=None,
            defaults={
                "engaged_by": actor.as_json(),
                "reason": wanted.reason,
                "created_at": now,
            },
        )
    else:
        Brake.objects.filter(tenant_id=tenant_id, released_at=None).update(
            released_at=now, released_by=actor.as_json()
        )
        brake = None
    detail = {"engaged": wanted.engaged, "reason": wanted.reason}
    _tell(tenant_id=tenant_id, kind="brake", detail=detail, actor=actor, now=now)
    return brake


@transaction.atomic
def limits_set(*, tenant_id: UUID, radius: Radius, actor: Actor, now: datetime) -> SwapLimit:
    """Set how many planned swaps may be under way at once.

    Raises:
        Invalid: a limit is out of range.
    """
    values = {
        "per_job": radius.per_job,
        "per_rack": radius.per_rack,
        "per_tenant": radius.per_tenant,
    }
    wrong = {
        name: [f"From 1 to {LIMIT_MAX}; the brake stops all."]
        for name, value in values.items()
        if not 1 <= value <= LIMIT_MAX
    }
    if wrong:
        raise Invalid(fields=wrong)
    row, _ = SwapLimit.objects.update_or_create(
        tenant_id=tenant_id, defaults=values, create_defaults={**values, "created_at": now}
    )
    _tell(tenant_id=tenant_id, kind="limits", detail=values, actor=actor, now=now)
    return row


@transaction.atomic
def hold_release(*, hold_id: UUID, actor: Actor, now: datetime) -> Hold:
    """Let swaps of a held rank be proposed again; what failed before counts no more.

    Raises:
        NotFound: there is no such hold.
    """
    released = Hold.objects.filter(id=hold_id, released_at=None).update(
        released_at=now, released_by=actor.as_json()
    )
    hold = Hold.objects.filter(id=hold_id).first()
    if hold is None:
        raise NotFound
    if released:
        detail = {"id": str(hold.id), "rank": hold.rank, "cause": hold.cause, "released": True}
        _tell(tenant_id=hold.tenant_id, kind="hold", detail=detail, actor=actor, now=now)
    return hold


def _tell(
    *, tenant_id: UUID, kind: str, detail: dict[str, Any], actor: Actor, now: datetime
) -> None:
    payload = {"id": str(tenant_id), **detail}
    outbox.announce(tenant_id=tenant_id, kind=f"{kind}.changed", payload=payload, at=now)
    audit_record(
        at=now,
        actor=actor,
        tenant_id=tenant_id,
        action=f"swap.{kind}",
        subject=f"tenant:{tenant_id}",
        detail=detail,
    )

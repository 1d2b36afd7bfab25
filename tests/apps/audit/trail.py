"""A trail to look at, and somebody who owns the database."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.audit.models import AuditEntry
from apps.audit.services import audit_record
from apps.core.access import Actor, ActorKind

AT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
TENANT = UUID(int=7)
OTHER = UUID(int=8)
OTTO = Actor(kind=ActorKind.PERSON, id="1", name="otto")


def record(number: int = 0, *, tenant_id: UUID | None = TENANT) -> AuditEntry:
    with transaction.atomic():
        return audit_record(
            at=AT + timedelta(seconds=number),
            actor=OTTO,
            tenant_id=tenant_id,
            action="swap.approve",
            subject=f"swap:{number}",
            # numbers that databases like to spell in their own ways
            detail={"plan": "sha256:00", "value": 1e16, "small": 1.0, "name": "Ångström\0"},
        )


def trail(count: int = 5, *, tenant_id: UUID | None = TENANT) -> list[AuditEntry]:
    return [record(number, tenant_id=tenant_id) for number in range(count)]

"""What is to be told once a transaction has been committed: the relay in workers/ sends it."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from apps.core import bell
from apps.core.models import OutboxMessage

# "live": browsers; "webhook": subscribers outside; "wake": a worker is to look now
TOPICS: Final = frozenset({"live", "webhook", "wake"})


def put(
    *, topic: str, tenant_id: UUID | None, kind: str, payload: dict[str, Any], at: datetime
) -> None:
    """Write a message in the caller's transaction: it is sent if, and only if, that commits."""
    assert topic in TOPICS, topic
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    OutboxMessage.objects.create(
        topic=topic, tenant_id=tenant_id, kind=kind, payload=payload, created_at=at
    )
    transaction.on_commit(bell.ring, robust=True)


def announce(*, tenant_id: UUID | None, kind: str, payload: dict[str, Any], at: datetime) -> None:
    """Tell browsers and subscribers alike."""
    for topic in ("live", "webhook"):
        put(topic=topic, tenant_id=tenant_id, kind=kind, payload=payload, at=at)

"""Writes to the chain."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from apps.audit.domain.chain import (
    ACTION_CHAIN_STARTED,
    GENESIS,
    PLATFORM,
    entry_body,
    head_signature,
    text_digest,
)
from apps.audit.models import AuditEntry, AuditHead
from apps.core import canonical
from apps.core.access import SYSTEM, Actor


def audit_record(
    *,
    at: datetime,
    actor: Actor,
    tenant_id: UUID | None,
    action: str,
    subject: str,
    detail: dict[str, Any],
) -> AuditEntry:
    """Append an entry to a tenant's chain, in the caller's transaction.

    The chain's head stays locked until that transaction ends: write the entry last.

    Args:
        at: when it was decided or changed.
        actor: by whom.
        tenant_id: whose chain; None for what belongs to no tenant.
        action: noun and verb, "swap.approve".
        subject: kind and id, "swap:<id>".
        detail: JSON values, without NaN.
    """
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    chain_id = tenant_id or PLATFORM
    head, is_new = AuditHead.objects.select_for_update(no_key=True).get_or_create(
        tenant_id=chain_id
    )
    if is_new and chain_id != PLATFORM:
        # a chain that vanishes as a whole is missed, because this one names it
        audit_record(
            at=at,
            actor=SYSTEM,
            tenant_id=None,
            action=ACTION_CHAIN_STARTED,
            subject=f"tenant:{chain_id}",
            detail={},
        )
    return _append(head, at=at, actor=actor, action=action, subject=subject, detail=detail)


def _append(
    head: AuditHead,
    *,
    at: datetime,
    actor: Actor,
    action: str,
    subject: str,
    detail: dict[str, Any],
) -> AuditEntry:
    """Write one entry after a locked head, and move the head."""
    sequence = head.sequence + 1
    body = entry_body(
        tenant_id=head.tenant_id,
        sequence=sequence,
        previous=head.digest or GENESIS,
        at=at,
        actor=actor,
        action=action,
        subject=subject,
        detail=detail,
    )
    text = canonical.encode(body).decode("ascii")
    entry = AuditEntry.objects.create(
        tenant_id=head.tenant_id,
        sequence=sequence,
        at=at,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        action=action,
        subject=subject,
        body=text,
        digest=text_digest(text),
    )
    head.sequence, head.digest = sequence, entry.digest
    head.signature = head_signature(
        key=settings.HOTSWAP_AUDIT_KEY,
        tenant_id=head.tenant_id,
        sequence=sequence,
        digest=entry.digest,
    )
    head.save(update_fields=("sequence", "digest", "signature"))
    return entry

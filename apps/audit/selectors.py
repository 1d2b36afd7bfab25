"""Questions to the chain."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Final
from uuid import UUID

from django.conf import settings

from apps.audit.domain.chain import (
    ACTION_CHAIN_STARTED,
    PLATFORM,
    Head,
    Link,
    Verdict,
    chain_verify,
)
from apps.audit.models import AuditEntry, AuditHead

# entries that are in memory at once
CHUNK_ROWS: Final = 1000


def audit_verify(*, tenant_id: UUID, known: Mapping[int, str] | None = None) -> Verdict:
    """Look at every entry of a tenant's chain.

    Args:
        tenant_id: whose; domain.chain.PLATFORM for what belongs to no tenant.
        known: digests by sequence that somebody has kept from earlier looks.
    """
    verdict = chain_verify(
        tenant_id=tenant_id,
        source=_Rows(tenant_id=tenant_id),
        key=settings.HOTSWAP_AUDIT_KEY,
        known=known,
    )
    if verdict.ok and verdict.head is None and _was_started(tenant_id):
        problem = "the whole chain is missing"
        return Verdict(entries=0, first_bad=1, problem=problem, head=None)
    return verdict


def audit_verify_all() -> dict[UUID, Verdict]:
    """Look at every chain: those that there are, and those that the platform's chain names."""
    named = {
        UUID(subject.removeprefix("tenant:"))
        for subject in AuditEntry.objects.filter(
            tenant_id=PLATFORM, action=ACTION_CHAIN_STARTED
        ).values_list("subject", flat=True)
    }
    there = set(AuditHead.objects.values_list("tenant_id", flat=True))
    entered = set(AuditEntry.objects.values_list("tenant_id", flat=True).distinct())
    chains = sorted({PLATFORM} | named | there | entered)
    return {chain: audit_verify(tenant_id=chain) for chain in chains}


def _was_started(tenant_id: UUID) -> bool:
    return AuditEntry.objects.filter(
        tenant_id=PLATFORM, action=ACTION_CHAIN_STARTED, subject=f"tenant:{tenant_id}"
    ).exists()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """A chain in the database."""

    # whose it is
    tenant_id: UUID

    def links(self, *, after: int, until: int | None) -> Iterator[Link]:
        """Yield entries, a chunk of rows in memory at a time."""
        rows = AuditEntry.objects.filter(tenant_id=self.tenant_id, sequence__gt=after)
        if until is not None:
            rows = rows.filter(sequence__lte=until)
        for row in rows.order_by("sequence", "id").iterator(chunk_size=CHUNK_ROWS):
            yield _link(row)

    def head(self) -> Head | None:
        """Return the head as it is now."""
        row = AuditHead.objects.filter(tenant_id=self.tenant_id).first()
        if row is None:
            return None
        return Head(sequence=row.sequence, digest=row.digest, signature=row.signature)


def _link(row: AuditEntry) -> Link:
    return Link(
        columns={
            "tenant": str(row.tenant_id),
            "sequence": row.sequence,
            "at": row.at.astimezone(UTC).isoformat(timespec="microseconds"),
            "actor": {"kind": row.actor_kind, "id": row.actor_id, "name": row.actor_name},
            "action": row.action,
            "subject": row.subject,
        },
        body=row.body,
        digest=row.digest,
    )

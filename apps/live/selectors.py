"""Reads of live."""

from collections.abc import Iterable
from uuid import UUID

from apps.live.models import LiveSequence


def sequence_last(*, tenant_id: UUID) -> int:
    """Return the number of a tenant's last delta; 0 before the first one."""
    return sequences_last(tenant_ids=[tenant_id])[tenant_id]


def sequences_last(*, tenant_ids: Iterable[UUID]) -> dict[UUID, int]:
    """Return the number of the last delta of each tenant; 0 before its first one."""
    wanted = list(tenant_ids)
    rows = LiveSequence.objects.filter(tenant_id__in=wanted)
    known = dict(rows.values_list("tenant_id", "value"))
    return {tenant: known.get(tenant, 0) for tenant in wanted}

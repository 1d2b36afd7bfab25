"""Reads of webhooks."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from apps.webhooks.models import Delivery, Webhook


def webhooks_of(*, tenant_ids: Iterable[UUID]) -> list[Webhook]:
    """Return every webhook of some tenants."""
    return list(Webhook.objects.filter(tenant_id__in=tenant_ids))


def deliveries_due(*, now: datetime, deliveries_max: int) -> list[Delivery]:
    """Return what is due, the oldest first, with its webhook."""
    rows = Delivery.objects.filter(state=Delivery.State.PENDING, due_at__lte=now)
    return list(rows.select_related("webhook").order_by("due_at")[:deliveries_max])


def delivery_find(*, delivery_id: UUID) -> Delivery | None:
    """Return a delivery with its webhook; None: it was removed with its webhook."""
    return Delivery.objects.select_related("webhook").filter(id=delivery_id).first()

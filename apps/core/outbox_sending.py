"""The other end of the outbox: what has to be sent, what has been. Only the relay calls this."""

from collections.abc import Collection
from datetime import datetime

from apps.core.models import OutboxMessage


def outbox_unsent(*, messages_max: int) -> list[OutboxMessage]:
    """Return the oldest messages that have not been sent, in the order in which they were put."""
    return list(OutboxMessage.objects.filter(sent_at=None).order_by("id")[:messages_max])


def outbox_mark_sent(*, ids: Collection[int], at: datetime) -> None:
    """Write down that messages have been sent."""
    OutboxMessage.objects.filter(id__in=ids, sent_at=None).update(sent_at=at)


def outbox_prune(*, sent_before: datetime, messages_max: int) -> int:
    """Delete messages that were sent long ago; return how many."""
    old = OutboxMessage.objects.filter(sent_at__lt=sent_before).order_by("sent_at")
    ids = list(old.values_list("id", flat=True)[:messages_max])
    return OutboxMessage.objects.filter(id__in=ids).delete()[0] if ids else 0

"""Rows that have served their purpose."""

from datetime import datetime, timedelta
from typing import Final

from apps.core.models import IdempotencyKey

# a program that has not asked again within this will not
KEYS_KEPT: Final = timedelta(hours=48)


def idempotency_keys_prune(*, now: datetime) -> int:
    """Delete the answers that nobody asks for again, and return how many there were."""
    count, _ = IdempotencyKey.objects.filter(created_at__lt=now - KEYS_KEPT).delete()
    return count

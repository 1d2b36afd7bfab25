"""A message is sent if, and only if, the transaction that wrote it commits."""

from datetime import UTC, datetime

import pytest
from django.db import transaction

from apps.core import outbox
from apps.core.models import OutboxMessage

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.django_db
def test_a_message_is_unsent_at_first() -> None:
    with transaction.atomic():
        outbox.put(topic="live", tenant_id=None, kind="node.changed", payload={"id": 1}, at=AT)
    assert OutboxMessage.objects.get().sent_at is None


@pytest.mark.django_db(transaction=True)
def test_a_message_outside_a_transaction_is_refused() -> None:
    with pytest.raises(AssertionError, match="atomic"):
        outbox.put(topic="live", tenant_id=None, kind="node.changed", payload={}, at=AT)

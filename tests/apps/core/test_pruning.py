"""An answer is kept as long as somebody may ask for it again."""

from datetime import timedelta

import pytest

from apps.core.models import IdempotencyKey
from apps.core.pruning import idempotency_keys_prune
from tests.apps.signed_in import AT


@pytest.mark.django_db
def test_answers_are_kept_for_two_days() -> None:
    for hours in (0, 47, 49):
        IdempotencyKey.objects.create(
            actor="person:1",
            request="POST /api/v1/jobs",
            key=str(hours),
            body_digest="sha256:0",
            created_at=AT - timedelta(hours=hours),
        )
    assert idempotency_keys_prune(now=AT) == 1
    assert sorted(IdempotencyKey.objects.values_list("key", flat=True)) == ["0", "47"]

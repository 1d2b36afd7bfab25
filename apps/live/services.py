"""Counting on the numbers of deltas. Only the relay calls this."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F

from apps.core.errors import Conflict
from apps.live.models import LiveSequence

#: Numbers left out when another relay begins: more than its predecessor can have used unrecorded.
TERM_GAP: Final = 1_000


class SequenceTaken(Conflict):
    """Another relay has given these numbers."""


def sequences_begin_term() -> None:
    """Leave a gap in every tenant's numbers.

    What a former relay sent without having written it down is sent again under other numbers; the
    gap makes each client that may have seen the old ones fetch anew.
    """
    LiveSequence.objects.update(value=F("value") + TERM_GAP)


def sequences_advance(*, before: Mapping[UUID, int], after: Mapping[UUID, int]) -> None:
    """Write down which numbers have been given.

    Args:
        before: last number of each tenant as it was read.
        after: last number of each tenant now.

    Raises:
        SequenceTaken: somebody else has counted on meanwhile; nothing is written.
    """
    with transaction.atomic():
        for tenant, value in sorted(after.items()):
            rows = LiveSequence.objects.filter(tenant_id=tenant, value=before[tenant])
            if rows.update(value=value):
                continue
            _, fresh = LiveSequence.objects.get_or_create(
                tenant_id=tenant, defaults={"value": value}
            )
            if not fresh:
                raise SequenceTaken(extra={"tenant": str(tenant)})

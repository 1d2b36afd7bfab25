"""Sends what waits in the outbox: ``python -m workers.relay``.

One relay at a time, by a lease in Redis. Messages go out at least once, in the order in which they
were put; each live one gets the next number of its tenant. Numbers are written down in the
transaction that marks messages as sent, so that they survive relay and Redis; a relay that begins
leaves a gap, see ``apps.live.services``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import structlog
from django.db import transaction

from apps.accounts.models import Tenant
from apps.core.outbox_sending import outbox_mark_sent, outbox_prune, outbox_unsent
from apps.live.selectors import sequences_last
from apps.live.services import SequenceTaken, sequences_advance, sequences_begin_term
from apps.webhooks.services import deliveries_put
from workers.outlets import Delta

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from apps.core.models import OutboxMessage
    from workers.lease import Lease
    from workers.outlets import Outlets

#: Messages that are sent between two looks at lease and database; below `TERM_GAP`, as no more
#: than these can have been sent without being written down.
BATCH_MAX: Final = 500
#: Sent messages are kept for so long, for whoever looks into what happened.
KEEP: Final = timedelta(hours=1)
#: Between two clearings of older ones, and most that one clears.
PRUNE_EVERY: Final = timedelta(minutes=1)
PRUNE_MAX: Final = 5_000

_log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class Relay:
    """Takes one batch after the other from the outbox while it holds the lease."""

    lease: Lease
    outlets: Outlets
    # whether the gap at the beginning of a term has been left
    _in_term: bool = False
    _pruned_at: datetime | None = field(default=None)

    def turn(self, *, now: datetime) -> int:
        """Send one batch, if this relay holds the lease; return how many messages it was.

        Raises:
            redis.RedisError, django.db.Error: try again later; nothing is marked as sent.
        """
        if not self.lease.hold():
            self._in_term = False
            return 0
        if not self._in_term:
            sequences_begin_term()
            self._in_term = True
            _log.info("relay.term_began")
        messages = outbox_unsent(messages_max=BATCH_MAX)
        if messages:
            try:
                self._send(messages, now=now)
            except SequenceTaken:
                # another relay works: its numbers count, and these messages are its business
                self._in_term = False
                _log.warning("relay.numbers_taken")
                return 0
        self._prune(now=now)
        return len(messages)

    def _send(self, messages: Sequence[OutboxMessage], *, now: datetime) -> None:
        live = _addressed([each for each in messages if each.topic == "live"])
        before = sequences_last(tenant_ids={tenant for tenant, _ in live})
        deltas = _numbered(live, before=before)
        self.outlets.live(deltas)
        wakes = {(each.kind, repr(each.payload)): each for each in messages if each.topic == "wake"}
        for each in wakes.values():  # once is enough for those of one batch
            self.outlets.wake(kind=each.kind, payload=each.payload)
        after = {each.tenant_id: each.sequence for each in deltas}
        with transaction.atomic():
            sequences_advance(before=before, after=after)
            hooks = [each for each in messages if each.topic == "webhook"]
            deliveries = deliveries_put(messages=hooks, at=now)
            outbox_mark_sent(ids=[each.id for each in messages], at=now)
        if deliveries:
            self.outlets.wake(kind="webhook_deliver_due", payload={})

    def _prune(self, *, now: datetime) -> None:
        if self._pruned_at is None or now - self._pruned_at >= PRUNE_EVERY:
            self._pruned_at = now
            outbox_prune(sent_before=now - KEEP, messages_max=PRUNE_MAX)


def _addressed(messages: Sequence[OutboxMessage]) -> list[tuple[UUID, OutboxMessage]]:
    """Return who is told what: a message that belongs to no tenant goes to each."""
    everybody = (
        list(Tenant.objects.values_list("id", flat=True))
        if any(each.tenant_id is None for each in messages)
        else []
    )
    return [
        (tenant, each)
        for each in messages
        for tenant in ([each.tenant_id] if each.tenant_id else everybody)
    ]


def _numbered(
    addressed: Sequence[tuple[UUID, OutboxMessage]], *, before: dict[UUID, int]
) -> list[Delta]:
    """Give each message the next number of its tenant."""
    used: Counter[UUID] = Counter()
    deltas = []
    for tenant, message in addressed:
        used[tenant] += 1
        deltas.append(
            Delta(
                tenant_id=tenant,
                sequence=before[tenant] + used[tenant],
                kind=message.kind,
                payload=message.payload,
            )
        )
    return deltas

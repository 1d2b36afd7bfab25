"""What happened to nodes, written down and told: event rows and messages to browsers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.core import bell
from apps.core.access import Actor
from apps.core.models import OutboxMessage
from apps.fleet.limits import REASON_LENGTH_MAX
from apps.fleet.models import NodeEvent

# what browsers are told when a node has become different
NODE_CHANGED = "node.changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """Something that has happened to a node."""

    # the node and whose it is
    node_id: UUID
    tenant_id: UUID
    # what became different: a kind of NodeEvent
    kind: str
    # before and after
    before: str
    after: str
    # why
    reason: str
    # fields of the node as they are now, for browsers
    fields: dict[str, Any]


def happenings_note(*, happenings: Sequence[Happening], actor: Actor, at: datetime) -> None:
    """Write events and messages in the caller's transaction; two queries, however many."""
    if not happenings:
        return
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    NodeEvent.objects.bulk_create(_events(happenings, actor=actor, at=at))
    OutboxMessage.objects.bulk_create(
        OutboxMessage(
            topic="live",
            tenant_id=each.tenant_id,
            kind=NODE_CHANGED,
            payload={"id": str(each.node_id), **each.fields},
            created_at=at,
        )
        for each in happenings
    )
    transaction.on_commit(bell.ring, robust=True)


def _events(happenings: Iterable[Happening], *, actor: Actor, at: datetime) -> Iterable[NodeEvent]:
    for each in happenings:
        yield NodeEvent(
            node_id=each.node_id,
            at=at,
            kind=each.kind,
            before=each.before,
            after=each.after,
            actor=actor.as_json(),
            reason=each.reason[:REASON_LENGTH_MAX],
        )

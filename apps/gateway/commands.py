"""Which commands leave with an answer."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from apps.gateway import translate
from apps.gateway.limits import SEND_AGAIN_S
from apps.jobs.domain.states import COMMAND
from apps.jobs.models import Command
from apps.jobs.services import commands_sent
from hotswap.wire import plane
from hotswap.wire.plane import COMMANDS_PER_ANSWER_MAX

_AGAIN: Final = timedelta(seconds=SEND_AGAIN_S)


def commands_for(
    *, node_ids: Collection[UUID], at: datetime
) -> dict[UUID, tuple[plane.Command, ...]]:
    """Return what nodes are to do, in the order of decisions, and note that it leaves.

    A command that has left before leaves again once nothing has been heard of it for a while; an
    agent answers it with its first result. One query, and three more where commands leave.
    """
    rows = Command.objects.filter(
        node_id__in=list(node_ids), state__in=COMMAND.open_states, deadline_at__gt=at
    ).order_by("fence", "id")
    waiting: dict[UUID, list[Command]] = {}
    for row in rows:
        waiting.setdefault(row.node_id, []).append(row)
    leaving = {node_id: _leaving(each, at=at) for node_id, each in waiting.items()}
    ids = [row.id for each in leaving.values() for row in each]
    if ids:
        commands_sent(ids=ids, at=at)
    return {
        node_id: tuple(translate.command(row) for row in each) for node_id, each in leaving.items()
    }


def _leaving(rows: Sequence[Command], *, at: datetime) -> list[Command]:
    """Return which of a node's open commands leave now.

    Those of earlier decisions leave together with a later one: should the answer that they were in
    be lost, the agent would refuse them once it has seen the later one.
    """
    again = {row.id for row in rows if row.sent_at is not None and at - row.sent_at >= _AGAIN}
    is_due = any(row.state == "queued" or row.id in again for row in rows)
    return [row for row in rows if is_due and (row.state != "accepted" or row.id in again)][
        :COMMANDS_PER_ANSWER_MAX
    ]


def nodes_with_new_commands(*, at: datetime) -> frozenset[UUID]:
    """Return the nodes that have a command which has not left yet; one query."""
    new = Command.objects.filter(state="queued", deadline_at__gt=at)
    rows = new.values_list("node_id", flat=True)
    return frozenset(rows.distinct())

"""Nodes as they are now: a grade counts as long as its report is fresh."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Case, CharField, F, Q, QuerySet, Value, When

from apps.fleet.domain.grades import Grade, Verdict, grade_explain
from apps.fleet.domain.rules import RULE_VERSION, RULES
from apps.fleet.domain.signals import Reading, Source
from apps.fleet.errors import NodeUnknown
from apps.fleet.models import Node, NodeReport


def nodes_at(*, now: datetime) -> QuerySet[Node]:
    """Return all nodes with their grade as it is now.

    Adds ``grade_now`` (unknown where the report is stale), ``is_stale`` (there is a report, and it
    is too old), ``source_now`` and ``reported_at`` (null without a report); brings cluster, class,
    rack and report along, without the signals, which are long.
    """
    stale = Q(report__stale_at__lte=now)
    nodes = Node.objects.select_related("cluster", "node_class", "rack", "report")
    return nodes.defer("report__signals", "report__counters").annotate(
        grade_now=Case(
            When(stale | Q(report=None), then=Value(Grade.UNKNOWN.value)),
            default=F("grade"),
            output_field=CharField(),
        ),
        is_stale=Case(
            When(stale, then=Value(value=True)),
            default=Value(value=False),
            output_field=BooleanField(),
        ),
        source_now=F("report__source"),
        reported_at=F("report__at"),
    )


def node_get(*, node_id: UUID, tenants: Collection[UUID], now: datetime) -> Node:
    """Return one node as `nodes_at` does, with the signals of its report.

    Raises:
        NodeUnknown: if there is none in the tenants.
    """
    node = nodes_at(now=now).defer(None).filter(id=node_id, tenant_id__in=tenants).first()
    if node is None:
        raise NodeUnknown
    return node


def node_of_agent(*, agent_id: UUID) -> Node:
    """Return the node that an agent speaks for.

    Raises:
        NodeUnknown: if there is none.
    """
    node = Node.objects.filter(agent_id=agent_id).first()
    if node is None:
        raise NodeUnknown("This agent's node has not been registered.")
    return node


def node_ids_by_agent(*, agent_ids: Collection[UUID]) -> dict[UUID, UUID]:
    """Return the nodes that agents speak for; one query."""
    rows = Node.objects.filter(agent_id__in=agent_ids).values_list("agent_id", "id")
    return dict(rows)


def node_explain(*, node: Node, now: datetime) -> Verdict:
    """Return a node's grade, explained signal by signal. Its class and report are at hand."""
    report: NodeReport | None = getattr(node, "report", None)
    return grade_explain(
        book=RULES[RULE_VERSION],
        readings=[] if report is None else readings_from(report.signals),
        accelerators=node.node_class.accelerators or 0,
        stale=report is not None and report.stale_at <= now,
    )


def readings_from(signals: Iterable[list[Any]]) -> list[Reading]:
    """Return readings from the column `NodeReport.signals`."""
    return [
        Reading(name=name, value=value, unit=unit, source=Source(source), figure=figure)
        for name, value, unit, source, figure in signals
    ]

"""The spares that there are, and which one would take over."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Q

from apps.fleet.domain.grades import Grade
from apps.fleet.domain.spares import (
    FIT_GRADES,
    SpareChoice,
    SpareFacts,
    SpareReserve,
    SpareWish,
    domains_troubled,
    reserve_from,
    spares_rank,
)
from apps.fleet.domain.states import NodeState
from apps.fleet.errors import NodeUnknown
from apps.fleet.models import Node
from apps.fleet.selectors.nodes import nodes_at
from apps.fleet.selectors.places import domain_ids_by_node, domains_by_id

# what is asked of a node that might take over
_FACTS: Final = (
    "id", "name", "node_class_id", "state", "grade_now", "reserved_for", "rack_id", "is_spare",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareQuestion:
    """Who is to be replaced, and what the newcomer must keep away from."""

    # the node that is replaced
    node_id: UUID
    # nodes whose loss together with the newcomer would hurt: those of the rank's mirrors
    apart_from_ids: frozenset[UUID] = frozenset()
    # nodes that are out of the question
    excluded_ids: frozenset[UUID] = frozenset()


def spares_ranked(*, question: SpareQuestion, now: datetime) -> tuple[SpareChoice, ...]:
    """Return every spare of the node's cluster and tenant, the best first; four queries.

    Raises:
        NodeUnknown: if there is no such node.
    """
    source = Node.objects.filter(id=question.node_id).first()
    if source is None:
        raise NodeUnknown
    nodes = (
        nodes_at(now=now)
        .filter(cluster_id=source.cluster_id, tenant_id=source.tenant_id)
        .exclude(state=NodeState.RETIRED.value)
        .values(*_FACTS)
    )
    domains = domains_by_id(cluster_ids=[source.cluster_id])
    held = domain_ids_by_node(node_ids=[node["id"] for node in nodes], domains=domains)
    grades = {node["id"]: Grade(node["grade_now"]) for node in nodes}
    apart = [held[node_id] for node_id in question.apart_from_ids if node_id in held]
    wish = SpareWish(
        node_class_id=source.node_class_id,
        rack_id=source.rack_id,
        troubled_domain_ids=domains_troubled(grades=grades, domain_ids=held),
        avoid_domain_ids=frozenset().union(*apart),
        excluded_ids=question.excluded_ids | {source.id},
    )
    spares = [node for node in nodes if node["is_spare"]]
    return spares_rank(wish=wish, spares=[_facts(node, domain_ids=held) for node in spares])


def _facts(node: Mapping[str, Any], *, domain_ids: Mapping[UUID, frozenset[UUID]]) -> SpareFacts:
    return SpareFacts(
        id=node["id"],
        name=node["name"],
        node_class_id=node["node_class_id"],
        state=NodeState(node["state"]),
        grade=Grade(node["grade_now"]),
        reserved_for=node["reserved_for"],
        rack_id=node["rack_id"],
        domain_ids=domain_ids[node["id"]],
    )


def nodes_by_grade(*, tenants: Collection[UUID], now: datetime) -> dict[str, int]:
    """Return how many nodes there are of each grade, those that are retired left out; one query."""
    fresh = Q(report__stale_at__gt=now)
    counts = (
        Node.objects.filter(tenant_id__in=tenants)
        .exclude(state=NodeState.RETIRED.value)
        .aggregate(
            nodes=Count("id"),
            **{
                grade.value: Count("id", filter=fresh & Q(grade=grade.value))
                for grade in Grade
                if grade is not Grade.UNKNOWN
            },
        )
    )
    nodes = counts.pop("nodes")
    return {**counts, Grade.UNKNOWN.value: nodes - sum(counts.values())}


def spares_summary(*, tenants: Collection[UUID], now: datetime) -> SpareReserve:
    """Return the reserve of spares against its target; one query."""
    spare = Q(is_spare=True)
    free = spare & Q(reserved_for=None)
    fit = Q(
        state=NodeState.ACTIVE.value,
        grade__in=[grade.value for grade in FIT_GRADES],
        report__stale_at__gt=now,
    )
    counts = (
        Node.objects.filter(tenant_id__in=tenants)
        .exclude(state=NodeState.RETIRED.value)
        .aggregate(
            nodes=Count("id"),
            ready=Count("id", filter=free & fit),
            reserved=Count("id", filter=spare & ~Q(reserved_for=None)),
            unfit=Count("id", filter=free & ~fit),
        )
    )
    return reserve_from(**counts)

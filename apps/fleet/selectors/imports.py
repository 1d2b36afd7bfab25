"""A cluster as it is before an import."""

from collections import defaultdict
from uuid import UUID

from apps.fleet.domain.imports import ReadClass
from apps.fleet.domain.imports.changes import HeldFleet, HeldNode, Reference
from apps.fleet.domain.states import NodeState
from apps.fleet.models import FailureDomain, Node, NodeClass


def fleet_held(*, cluster_name: str, tenant_id: UUID) -> HeldFleet:
    """Return what an import is compared with; four queries."""
    domains = {row.id: row for row in FailureDomain.objects.filter(cluster__name=cluster_name)}
    references: dict[UUID, Reference] = {
        domain_id: (row.kind, row.name) for domain_id, row in domains.items()
    }
    placed: dict[UUID, set[Reference]] = defaultdict(set)
    for node_id, domain_id in Node.domains.through.objects.filter(
        node__cluster__name=cluster_name
    ).values_list("node_id", "failuredomain_id"):
        placed[node_id].add(references[domain_id])
    rows = Node.objects.filter(cluster__name=cluster_name).select_related("node_class")
    return HeldFleet(
        classes={row.name: _class(row) for row in NodeClass.objects.all()},
        domains={
            references[domain_id]: None if row.parent_id is None else references[row.parent_id]
            for domain_id, row in domains.items()
        },
        nodes={
            row.name: _node(row, domains=frozenset(placed[row.id]), tenant_id=tenant_id)
            for row in rows
        },
    )


def _class(row: NodeClass) -> ReadClass:
    return ReadClass(
        name=row.name,
        vendor=row.vendor,
        accelerators=row.accelerators,
        memory_gib=row.memory_gib,
        tdp_w=row.tdp_w,
    )


def _node(row: Node, *, domains: frozenset[Reference], tenant_id: UUID) -> HeldNode:
    return HeldNode(
        ours=row.tenant_id == tenant_id,
        node_class=row.node_class.name,
        address=row.address,
        domains=domains,
        is_spare=row.is_spare,
        is_reserved=row.reserved_for is not None,
        state=NodeState(row.state),
        firmware=row.firmware,
    )

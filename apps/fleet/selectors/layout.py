"""A cluster as it stands: racks with a tile for each node of a tenant."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Subquery

from apps.fleet.domain.layout import Domain, Rack, Tile, layout_from
from apps.fleet.domain.states import NodeState
from apps.fleet.selectors.nodes import nodes_at
from apps.fleet.selectors.occupancy import HeldRank, ranks_held
from apps.fleet.selectors.places import domain_ids_by_node, domains_by_id

# what a tile shows of a node, and no more: a picture holds thousands
TILE: Final = (
    "id", "name", "rack_id", "state", "is_spare", "reserved_for", "grade_now", "is_stale",
    "source_now", "reported_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Everything that a picture of a cluster needs."""

    # racks with tiles, in order
    racks: tuple[Rack, ...]
    # failure domains by id; only those that hold a node of the tenants
    domains: Mapping[UUID, Domain]
    # `TILE` of each node, by its id
    nodes: Mapping[UUID, Mapping[str, Any]]
    # ranks by node
    ranks: Mapping[UUID, Sequence[HeldRank]]


def layout_get(*, cluster_id: UUID, tenants: Collection[UUID], now: datetime) -> Layout:
    """Return the layout of a cluster, retired nodes left out; four queries."""
    rows = nodes_at(now=now).filter(cluster_id=cluster_id, tenant_id__in=tenants)
    rows = rows.exclude(state=NodeState.RETIRED.value)
    nodes = {row["id"]: row for row in rows.values(*TILE)}
    # thousands of ids would take longer to pass than to find again
    node_ids = Subquery(rows.order_by().values("id"))
    domains = domains_by_id(cluster_ids=[cluster_id])
    held = domain_ids_by_node(node_ids=node_ids, domains=domains)
    # where other tenants stand is not ours to show
    ours = frozenset().union(*held.values())
    domains = {domain_id: domain for domain_id, domain in domains.items() if domain_id in ours}
    return Layout(
        racks=layout_from(
            domains=domains,
            tiles=[
                Tile(
                    id=node_id,
                    name=node["name"],
                    rack_id=node["rack_id"],
                    domain_ids=held[node_id],
                )
                for node_id, node in nodes.items()
            ],
        ),
        domains=domains,
        nodes=nodes,
        ranks=ranks_held(node_ids=node_ids),
    )

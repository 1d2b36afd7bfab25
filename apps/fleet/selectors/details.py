"""Everything that a node's page shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.core.access import Actor, Role
from apps.fleet.domain.states import EMPTY_STATES, TABLE, NodeState
from apps.fleet.models import Node
from apps.fleet.selectors.nodes import node_explain
from apps.fleet.selectors.occupancy import HeldRank, ranks_held
from apps.fleet.selectors.places import domain_ids_by_node, domains_by_id


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDetails:
    """A node with what belongs to it."""

    # the node, with all_domains, all_devices, verdict and allowed set on it
    node: Node
    # ranks that it holds, by node
    ranks: Mapping[UUID, Sequence[HeldRank]]


def node_details(*, node: Node, actor: Actor, now: datetime) -> NodeDetails:
    """Return a node of `nodes_at` with what belongs to it; three queries, and those of the jobs."""
    domains = domains_by_id(cluster_ids=[node.cluster_id])
    held = domain_ids_by_node(node_ids=[node.id], domains=domains)[node.id]
    ranks = ranks_held(node_ids=[node.id])
    found: dict[str, Any] = {
        "all_domains": sorted(
            (domains[domain_id] for domain_id in held), key=lambda each: (each.kind, each.name)
        ),
        "all_devices": list(node.devices.order_by("kind", "index")),
        "verdict": node_explain(node=node, now=now),
        "allowed": _allowed(node=node, actor=actor, ranks=ranks.get(node.id, ())),
    }
    for name, value in found.items():
        setattr(node, name, value)
    return NodeDetails(node=node, ranks=ranks)


def _allowed(*, node: Node, actor: Actor, ranks: Sequence[HeldRank]) -> list[dict[str, Any]]:
    """Return every state that one could ask for, and why it can't be had."""
    return [
        {
            "action": line.action,
            "state": line.target,
            "enabled": (reason := _refusal(node, line.target, actor, ranks)) is None,
            "reason": reason,
        }
        for line in TABLE.allowed(node.state)
    ]


def _refusal(node: Node, target: str, actor: Actor, ranks: Sequence[HeldRank]) -> str | None:
    if not actor.may(node.tenant_id, Role.OPERATOR):
        return "This takes the role operator."
    if NodeState(target) in EMPTY_STATES:
        if node.reserved_for is not None:
            return f"It is reserved for {node.reserved_for}."
        if ranks:
            return "It still holds ranks: swap them out first."
    return None

"""What state a node is in."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.audit.services import audit_record
from apps.core.access import Actor
from apps.fleet.domain.states import EMPTY_STATES, NodeState, node_action
from apps.fleet.errors import NodeChanged, NodeOccupied, NodeUnknown
from apps.fleet.limits import REASON_LENGTH_MAX
from apps.fleet.models import Node
from apps.fleet.selectors.occupancy import ranks_held
from apps.fleet.services.announcing import Happening, happenings_note


@transaction.atomic
def node_state_change(
    *, node_id: UUID, target: NodeState, reason: str, actor: Actor, at: datetime
) -> Node:
    """Bring a node into a state.

    Args:
        node_id: which node.
        target: the state afterwards.
        reason: why, for whoever reads the history.
        actor: who wants it.
        at: when.

    Raises:
        NodeUnknown: if there is no such node.
        TransitionRefused: if nothing leads from its state to the other.
        NodeOccupied: if it holds ranks, or is reserved, and must be empty in that state.
        NodeChanged: if its state has become another one meanwhile.
    """
    node = Node.objects.filter(id=node_id).first()
    if node is None:
        raise NodeUnknown
    before = NodeState(node.state)
    action = node_action(state=before, target=target)
    if target in EMPTY_STATES:
        _check_empty(node)
    reason = reason[:REASON_LENGTH_MAX]
    changed = Node.objects.filter(id=node_id, state=before.value).update(
        state=target.value, state_reason=reason, state_at=at
    )
    if not changed:
        raise NodeChanged("The node's state has become another one meanwhile: look again.")
    node.refresh_from_db(fields=("state", "state_reason", "state_at"))
    happenings_note(
        happenings=[
            Happening(
                node_id=node.id,
                tenant_id=node.tenant_id,
                kind="state",
                before=before.value,
                after=target.value,
                reason=reason,
                fields={"state": target.value, "state_reason": reason},
            )
        ],
        actor=actor,
        at=at,
    )
    audit_record(
        at=at,
        actor=actor,
        tenant_id=node.tenant_id,
        action=f"node.{action}",
        subject=f"node:{node.id}",
        detail={"name": node.name, "from": before.value, "to": target.value, "reason": reason},
    )
    return node


def _check_empty(node: Node) -> None:
    """Refuse if anything stands on a node."""
    if node.reserved_for is not None:
        raise NodeOccupied(
            f"{node.name} is reserved for {node.reserved_for}: give that back first.",
            extra={"reserved_for": node.reserved_for},
        )
    held = ranks_held(node_ids=[node.id]).get(node.id, ())
    if held:
        shown = ", ".join(
            f"{each.job_name} {'standby' if each.rank is None else f'rank {each.rank}'}"
            for each in held
        )
        raise NodeOccupied(
            f"{node.name} still holds {shown}: swap them out first.",
            extra={"ranks": [{"job": str(each.job_id), "rank": each.rank} for each in held]},
        )

"""Spares: promised, given back, used up. One guarded UPDATE each."""

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.audit.services import audit_record
from apps.core.access import SYSTEM, Actor, ActorKind
from apps.fleet.domain.states import NodeState
from apps.fleet.errors import NodeChanged, NodeOccupied, NodeUnknown, SpareMissing
from apps.fleet.limits import RESERVE_TRIES_MAX
from apps.fleet.models import Node
from apps.fleet.selectors.spares import SpareQuestion, spares_ranked
from apps.fleet.services.announcing import Happening, happenings_note


@transaction.atomic
def spare_reserve(
    *,
    question: SpareQuestion,
    reserved_for: str,
    at: datetime,
    only_node_id: UUID | None = None,
    actor: Actor = SYSTEM,
) -> Node:
    """Promise the best spare to something, or the one that is named.

    Safe to repeat: what holds a spare already gets the same one.

    Args:
        question: who is to be replaced, and what to keep away from.
        reserved_for: what it is for, such as ``swap:<id>``; holds one spare at most.
        at: when.
        only_node_id: this spare and no other; None: the best.
        actor: who wants it.

    Raises:
        NodeUnknown: if there is no node to be replaced.
        SpareMissing: if no spare can be taken; ``spares`` says why, one by one.
    """
    held = Node.objects.filter(reserved_for=reserved_for).first()
    if held is not None:
        return held
    choices = spares_ranked(question=question, now=at)
    possible = [
        choice.id
        for choice in choices
        if choice.refusal is None and only_node_id in {None, choice.id}
    ]
    for node_id in possible[:RESERVE_TRIES_MAX]:
        if _take(node_id=node_id, reserved_for=reserved_for):
            node = Node.objects.get(id=node_id)
            _note(node, before="ready", after=reserved_for, actor=actor, at=at)
            return node
    held = Node.objects.filter(reserved_for=reserved_for).first()
    if held is not None:
        return held
    raise SpareMissing(
        "No spare can take over. " + "; ".join(f"{c.name}: {c.refusal}" for c in choices),
        extra={"spares": [{"id": str(c.id), "name": c.name, "why": c.refusal} for c in choices]},
    )


def _take(*, node_id: UUID, reserved_for: str) -> bool:
    """Promise one spare; False if it went to something else meanwhile."""
    try:
        with transaction.atomic():
            return bool(
                Node.objects.filter(
                    id=node_id,
                    is_spare=True,
                    state=NodeState.ACTIVE.value,
                    reserved_for=None,
                ).update(reserved_for=reserved_for)
            )
    except IntegrityError:
        # node_reserved_once: somebody reserves for the same at the same time, and was quicker
        return False


@transaction.atomic
def spare_release(*, reserved_for: str, at: datetime, actor: Actor = SYSTEM) -> Node | None:
    """Give a spare back; None if nothing was reserved. Safe to repeat."""
    node = Node.objects.filter(reserved_for=reserved_for).first()
    if node is None:
        return None
    freed = Node.objects.filter(id=node.id, reserved_for=reserved_for).update(reserved_for=None)
    if not freed:
        return None
    node.reserved_for = None
    _note(node, before=reserved_for, after="ready", actor=actor, at=at)
    return node


@transaction.atomic
def spare_use(*, reserved_for: str, at: datetime, actor: Actor = SYSTEM) -> Node | None:
    """Turn a reserved spare into a node that works; None if nothing was reserved."""
    node = Node.objects.filter(reserved_for=reserved_for).first()
    if node is None:
        return None
    used = Node.objects.filter(id=node.id, reserved_for=reserved_for).update(
        reserved_for=None, is_spare=False
    )
    if not used:
        return None
    node.reserved_for, node.is_spare = None, False
    _note(node, before=reserved_for, after="in use", actor=actor, at=at)
    return node


@transaction.atomic
def node_spare_set(*, node_id: UUID, is_spare: bool, actor: Actor, at: datetime) -> Node:
    """Keep a node as a spare, or let it work.

    Raises:
        NodeUnknown: if there is no such node.
        NodeOccupied: if it is reserved.
        NodeChanged: if somebody reserved it meanwhile.
    """
    node = Node.objects.filter(id=node_id).first()
    if node is None:
        raise NodeUnknown
    if node.is_spare is is_spare:
        return node
    if node.reserved_for is not None:
        raise NodeOccupied(f"{node.name} is reserved for {node.reserved_for}.")
    changed = Node.objects.filter(id=node_id, is_spare=not is_spare, reserved_for=None).update(
        is_spare=is_spare
    )
    if not changed:
        raise NodeChanged("Somebody has reserved the node meanwhile: look again.")
    node.is_spare = is_spare
    words = {True: "ready", False: "in use"}
    _note(node, before=words[not is_spare], after=words[is_spare], actor=actor, at=at)
    return node


def _note(node: Node, *, before: str, after: str, actor: Actor, at: datetime) -> None:
    """Write down and tell what became of a spare; what a person decided goes into the audit."""
    happenings_note(
        happenings=[
            Happening(
                node_id=node.id,
                tenant_id=node.tenant_id,
                kind="spare",
                before=before,
                after=after,
                reason="",
                fields={"is_spare": node.is_spare, "reserved_for": node.reserved_for},
            )
        ],
        actor=actor,
        at=at,
    )
    if actor.kind is not ActorKind.SYSTEM:
        audit_record(
            at=at,
            actor=actor,
            tenant_id=node.tenant_id,
            action="node.spare",
            subject=f"node:{node.id}",
            detail={"name": node.name, "from": before, "to": after},
        )

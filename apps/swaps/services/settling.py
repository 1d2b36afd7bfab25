"""What a swap leaves behind when it ends, or when its plan is given up."""

from contextlib import suppress
from datetime import datetime

from apps.approvals.services import approval_void
from apps.audit.services import audit_record
from apps.core import outbox
from apps.core.access import SYSTEM
from apps.core.errors import PlaneError
from apps.fleet.domain.states import NodeState
from apps.fleet.models import Node
from apps.fleet.services.spares import node_spare_set, spare_release, spare_use
from apps.fleet.services.states import node_state_change
from apps.swaps.models import Hold, Swap
from apps.swaps.selectors.controls import stop_loss_of

_BAD_GRADES = ("high", "critical")


def settle(*, swap: Swap, reason: str, now: datetime) -> None:
    """Give back what a swap held that did not take force: its spare and its approval."""
    spare_release(reserved_for=swap.reservation, at=now)
    approval_void(subject_kind="swap", subject_id=swap.id, reason=reason, now=now)


def settle_in_force(*, swap: Swap, now: datetime) -> None:
    """The target carries the rank: it is no spare any more; a bad source takes nothing new."""
    _lock_nodes(swap)
    used = spare_use(reserved_for=swap.reservation, at=now)
    if used is None and swap.target_node_id is not None:
        # reserved for the job, or for nothing: another promise is void by the standby's new role
        with suppress(PlaneError):
            node_spare_set(node_id=swap.target_node_id, is_spare=False, actor=SYSTEM, at=now)
    if swap.kind == "planned" and swap.evidence.get("grade") in _BAD_GRADES:
        _source_to(swap, NodeState.DRAINING, now)


def settle_completed(*, swap: Swap, now: datetime) -> None:
    """Keep a bad source out of use, once the job is safely off it."""
    if swap.kind == "planned" and swap.evidence.get("grade") in _BAD_GRADES:
        _source_to(swap, NodeState.QUARANTINED, now)


def _lock_nodes(swap: Swap) -> None:
    """Lock both nodes in the order in which reports of many nodes lock theirs."""
    ids = [each for each in (swap.source_node_id, swap.target_node_id) if each is not None]
    nodes = Node.objects.select_for_update(no_key=True).filter(id__in=ids).order_by("id")
    list(nodes.values_list("id"))


def _source_to(swap: Swap, target: NodeState, now: datetime) -> None:
    """Bring the source into a state, unless a person has decided about it meanwhile."""
    source = _source(swap)
    if source is None or source.state not in (NodeState.ACTIVE.value, NodeState.DRAINING.value):
        return
    if source.state == target.value:
        return
    reason = f"rank {swap.rank} of {swap.job.name} was moved off it: swap {swap.id}"
    node_state_change(node_id=source.id, target=target, reason=reason, actor=SYSTEM, at=now)


def _source(swap: Swap) -> Node | None:
    """Return the source as it is now; None: it is not known."""
    node_id = swap.source_node_id
    return None if node_id is None else Node.objects.filter(id=node_id).first()


def stop_loss(*, swap: Swap, now: datetime) -> Hold | None:
    """Hold a rank whose swaps have failed too often with one cause; None: they have not."""
    if swap.kind != "planned":
        return None
    cause = stop_loss_of(job_id=swap.job_id, rank=swap.rank, now=now)
    if cause is None:
        return None
    hold, is_new = Hold.objects.get_or_create(
        job_id=swap.job_id,
        rank=swap.rank,
        released_at=None,
        defaults={"tenant_id": swap.tenant_id, "cause": cause, "created_at": now},
    )
    if is_new:
        detail = {"job": str(swap.job_id), "rank": swap.rank, "cause": cause}
        payload = {"id": str(hold.id), "released": False, **detail}
        outbox.announce(tenant_id=swap.tenant_id, kind="hold.changed", payload=payload, at=now)
        audit_record(
            at=now,
            actor=SYSTEM,
            tenant_id=swap.tenant_id,
            action="swap.hold",
            subject=f"hold:{hold.id}",
            detail=detail,
        )
    return hold

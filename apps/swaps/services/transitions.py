"""The only place that changes a swap: one guarded UPDATE, its event, audit entry, announcement."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.audit.services import audit_record
from apps.core import outbox
from apps.core.access import SYSTEM, Actor
from apps.swaps.domain.limits import FAILURE_LENGTH_MAX
from apps.swaps.domain.states import TABLE, WAITS, Action, State
from apps.swaps.errors import SwapMoved, SwapOpen, SwapUnknown
from apps.swaps.models import Swap, SwapEvent

_ENDINGS_WITH_FAILURE = (State.FAILED, State.DEVIATED, State.EXPIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What is to be changed, and on whose account."""

    # action of the table
    action: Action
    # who acts
    actor: Actor = SYSTEM
    # stable code of the reason, and the reason for people
    code: str = ""
    text: str = ""
    # further JSON values for the event
    detail: dict[str, Any] = field(default_factory=dict)
    # further fields of the row
    changes: dict[str, Any] = field(default_factory=dict)


def swap_read(swap_id: UUID) -> Swap:
    """Return a swap with what a decision reads, as it is now.

    Raises:
        SwapUnknown: there is none.
    """
    related = ("job", "approval", "command", "abort_command", "source_node", "target_node")
    swap = Swap.objects.select_related(*related).filter(id=swap_id).first()
    if swap is None:
        raise SwapUnknown
    return swap


def swap_claim(swap: Swap) -> None:
    """Lock a swap as it was read, first of all that a transaction locks.

    Whoever changes a swap locks in this order, so that none waits for another in a circle: the
    swap, the tenant's limits, job and nodes (of several nodes that of the lowest id first), the
    approval, and the head of the audit chain last. Rows are locked without their keys, which never
    change: whoever only refers to a row, by adding one, waits for nobody.

    Raises:
        SwapMoved: it has changed meanwhile.
    """
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    rows = Swap.objects.select_for_update(no_key=True).filter(
        id=swap.id, state=swap.state, events_count=swap.events_count
    )
    if not list(rows.values_list("id", flat=True)):
        raise SwapMoved


def swap_create(*, fields: dict[str, Any], actor: Actor, detail: dict[str, Any]) -> Swap:
    """Write a new swap with its first event, in the caller's transaction.

    Raises:
        SwapOpen: one is open for the same rank.
    """
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    now, state = fields["created_at"], State(fields["state"])
    assert state.value in TABLE.initial, state
    open_one = Swap.objects.filter(
        job_id=fields["job_id"], rank=fields["rank"], state__in=TABLE.open_states
    ).first()
    if open_one is not None:
        raise _open_error(open_one)
    try:
        with transaction.atomic():
            swap = Swap.objects.create(
                state_at=now,
                deadline_at=now + WAITS[state],
                look_at=now,
                events_count=1,
                **fields,
            )
    except IntegrityError as error:
        # swap_open_once: somebody proposed the same at the same time, and was quicker
        raise SwapOpen from error
    _record(swap, before="", action="propose", actor=actor, at=now, detail=detail)
    return swap


def _open_error(swap: Swap) -> SwapOpen:
    return SwapOpen(
        f"A swap of rank {swap.rank} is {swap.state.replace('_', ' ')}: wait for its end, or "
        "abort it.",
        extra={"swap": str(swap.id), "state": swap.state},
    )


def transition(*, swap: Swap, move: Move, now: datetime) -> Swap:
    """Move a swap along its table, in the caller's transaction.

    Args:
        swap: as it was read; its fields are brought up to date.
        move: what to change.
        now: when.

    Raises:
        TransitionRefused: its state has no such action.
        SwapMoved: its state has become another one meanwhile.
    """
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    before = swap.state
    target = State(TABLE.target(move.action, before))
    changes = _changes(move, target, now)
    guarded = Swap.objects.filter(id=swap.id, state=before, events_count=swap.events_count)
    if not guarded.update(events_count=swap.events_count + 1, **changes):
        raise SwapMoved
    for name, value in changes.items():
        setattr(swap, name, value)
    swap.events_count += 1
    detail = {"code": move.code, "text": move.text} if move.code or move.text else {}
    _record(
        swap,
        before=before,
        action=move.action.value,
        actor=move.actor,
        at=now,
        detail=detail | move.detail,
    )
    return swap


def _changes(move: Move, target: State, now: datetime) -> dict[str, Any]:
    over = target.value in TABLE.terminal
    changes: dict[str, Any] = {
        "state": target.value,
        "state_at": now,
        "deadline_at": None if over else now + WAITS[target],
        "look_at": now,
        "waiting_for": "",
    }
    if over:
        changes["ended_at"] = now
    if target in _ENDINGS_WITH_FAILURE:
        changes["failure"] = {"code": move.code, "text": move.text[:FAILURE_LENGTH_MAX]}
    return changes | move.changes


def swap_note(
    *, swap: Swap, action: str, now: datetime, changes: dict[str, Any], detail: dict[str, Any]
) -> Swap:
    """Note something that leaves the state as it is, in the caller's transaction.

    Raises:
        SwapMoved: the swap has changed meanwhile.
    """
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    guarded = Swap.objects.filter(id=swap.id, state=swap.state, events_count=swap.events_count)
    if not guarded.update(events_count=swap.events_count + 1, **changes):
        raise SwapMoved
    for name, value in changes.items():
        setattr(swap, name, value)
    swap.events_count += 1
    _record(swap, before=swap.state, action=action, actor=SYSTEM, at=now, detail=detail)
    return swap


def _record(
    swap: Swap,
    *,
    before: str,
    action: str,
    actor: Actor,
    at: datetime,
    detail: dict[str, Any],
) -> None:
    """Write the event, tell browsers and subscribers, and append to the audit chain, last."""
    moved = swap.state != before
    SwapEvent.objects.create(
        swap=swap,
        sequence=swap.events_count,
        at=at,
        from_state=before,
        to_state=swap.state,
        action=action,
        actor=actor.as_json(),
        deadline_at=swap.deadline_at if moved else None,
        detail=detail,
    )
    swap_announce(swap=swap, at=at, moved=moved)
    audit_record(
        at=at,
        actor=actor,
        tenant_id=swap.tenant_id,
        action=f"swap.{action}",
        subject=f"swap:{swap.id}",
        detail={
            "from": before,
            "to": swap.state,
            "job": str(swap.job_id),
            "rank": swap.rank,
            "plan_digest": swap.plan_digest,
            **detail,
        },
    )


def swap_announce(*, swap: Swap, at: datetime, moved: bool) -> None:
    """Tell browsers that a swap has changed, and subscribers that its state has."""
    payload = {
        "id": str(swap.id),
        "job": str(swap.job_id),
        "rank": swap.rank,
        "kind": swap.kind,
        "state": swap.state,
        "runtime_phase": swap.runtime_phase,
        "deadline_at": None if swap.deadline_at is None else swap.deadline_at.isoformat(),
        "sequence": swap.events_count,
    }
    for topic in ("live", "webhook") if moved else ("live",):
        outbox.put(
            topic=topic, tenant_id=swap.tenant_id, kind="swap.changed", payload=payload, at=at
        )


def swap_wake(*, swap: Swap, at: datetime) -> None:
    """Make the driver look at a swap at once, when the caller's transaction has committed."""
    outbox.put(
        topic="wake",
        tenant_id=swap.tenant_id,
        kind="swap_advance",
        payload={"swap_id": str(swap.id)},
        at=at,
    )

"""What each action does besides changing the state, in the same transaction.

What it does to other rows comes first: `transition` writes the audit entry, whose chain is locked
last; see `transitions.swap_claim`.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from apps.approvals.services import Question, approval_mark_executed, approval_open
from apps.core.access import SYSTEM, Actor, ActorKind
from apps.jobs.models import Job
from apps.jobs.services.commands import command_queue
from apps.swaps.domain import limits
from apps.swaps.domain.decisions import Do
from apps.swaps.domain.facts import Facts
from apps.swaps.domain.plan import band_document, band_read
from apps.swaps.domain.states import WAITS, Action, State
from apps.swaps.models import Swap, SwapLimit
from apps.swaps.selectors.controls import held_by
from apps.swaps.services.asking import document_of, summary_of
from apps.swaps.services.planning import band_now, swap_plan
from apps.swaps.services.proposing import abort_begin, command_node
from apps.swaps.services.settling import settle, settle_completed, settle_in_force, stop_loss
from apps.swaps.services.takeovers import takeovers_wait
from apps.swaps.services.transitions import Move, swap_note, transition
from hotswap.wire.plane import AbortSwap
from hotswap.wire.plane import Swap as SwapOrder


class Held(Exception):
    """The swap may not begin now; the text says why."""


def _plan(swap: Swap, _decision: Do, _facts: Facts, now: datetime) -> None:
    swap_plan(swap=swap, now=now)


def _plain(swap: Swap, decision: Do, _facts: Facts, now: datetime) -> None:
    """Change the state, and nothing else."""
    agent = Actor(kind=ActorKind.AGENT, id="", name=swap.job.leader or "coordinator")
    _move(swap, decision, now, actor=agent)


def _move(
    swap: Swap,
    decision: Do,
    now: datetime,
    *,
    actor: Actor = SYSTEM,
    changes: dict[str, Any] | None = None,
    detail: dict[str, Any] | None = None,
) -> None:
    move = Move(
        action=decision.action,
        actor=actor,
        code=decision.code,
        text=decision.text,
        changes=changes or {},
        detail=detail or {},
    )
    transition(swap=swap, move=move, now=now)


def _revise(swap: Swap, decision: Do, _facts: Facts, now: datetime) -> None:
    settle(swap=swap, reason=decision.text, now=now)
    _move(swap, decision, now, changes={"plan_digest": "", "approval": None})


def _request_approval(swap: Swap, decision: Do, _facts: Facts, now: datetime) -> None:
    expires_at = now + WAITS[State.AWAITING_APPROVAL]
    question = Question(
        tenant_id=swap.tenant_id,
        subject_kind="swap",
        subject_id=swap.id,
        plan_digest=swap.plan_digest,
        evidence_digest=swap.evidence_digest,
        summary=summary_of(swap),
        document=document_of(swap),
        expires_at=expires_at,
    )
    proposer = Actor(
        kind=ActorKind(swap.proposer["kind"]), id=swap.proposer["id"], name=swap.proposer["name"]
    )
    request = approval_open(question=question, proposer=proposer, now=now)
    changes = {"approval": request, "deadline_at": expires_at}
    _move(swap, decision, now, changes=changes, detail={"approval": str(request.id)})


def _decided(swap: Swap, decision: Do, _facts: Facts, now: datetime) -> None:
    """Take over what somebody has decided, in their name."""
    approval = swap.approval
    assert approval is not None, "somebody has decided something"
    by = approval.decided_by or SYSTEM.as_json()
    actor = Actor(kind=ActorKind(by["kind"]), id=by["id"], name=by["name"])
    if decision.action is Action.REFUSE:
        settle(swap=swap, reason=approval.reason, now=now)
    detail = {"approval": str(approval.id), "reason": approval.reason}
    _move(swap, decision, now, actor=actor, detail=detail)


def _prepare(swap: Swap, decision: Do, _facts: Facts, now: datetime) -> None:
    """Command the coordinator. One at a time in a tenant looks at the limits."""
    SwapLimit.objects.get_or_create(tenant_id=swap.tenant_id, defaults={"created_at": now})
    SwapLimit.objects.select_for_update(no_key=True).get(tenant_id=swap.tenant_id)
    why = held_by(swap=swap)
    if takeovers_wait(job_id=swap.job_id):
        why = "events of the job are being looked through"
    node_id = command_node(swap)
    if why is not None or node_id is None:
        raise Held(why or "no agent of the job is known")
    command = command_queue(
        tenant_id=swap.tenant_id,
        job_id=swap.job_id,
        node_id=node_id,
        kind="swap",
        payload=SwapOrder(
            rank=swap.rank,
            target_member=swap.target_member,
            reason=swap.reason,
            swap=str(swap.id),
        ),
        key=swap.reservation,
        at=now,
    )
    events_count = Job.objects.values_list("events_count", flat=True).get(id=swap.job_id)
    # The one of the plan is as old as the approval took, and loss has gone on meanwhile.
    band = band_now(swap) or swap.band
    changes = {
        "command": command,
        "events_from": events_count,
        "runtime_phase": "",
        "band": band,
    }
    approval_mark_executed(subject_kind="swap", subject_id=swap.id, now=now)
    _move(swap, decision, now, changes=changes, detail={"command": str(command.id), "band": band})


def _take_force(swap: Swap, decision: Do, facts: Facts, now: datetime) -> None:
    step = facts.in_force_step if facts.in_force_step is not None else facts.committed_step
    changes: dict[str, Any] = {
        "watch_from_step": step,
        "deadline_at": now + watch_wait(swap),
        "failure": None,
    }
    detail: dict[str, Any] = {"from_step": step}
    band = band_read(swap.band)
    if band is not None and step is not None:
        detail["band"] = changes["band"] = band_document(band.taken_to(step + swap.watch_steps))
    agent = Actor(kind=ActorKind.AGENT, id="", name=swap.job.leader or "coordinator")
    settle_in_force(swap=swap, now=now)
    _move(swap, decision, now, actor=agent, changes=changes, detail=detail)


def watch_wait(swap: Swap) -> timedelta:
    """Return how long watching may last: a multiple of what its steps take."""
    step_s = swap.job.step_time_s
    if step_s is None:
        return limits.WATCH_WAIT
    wait = timedelta(seconds=step_s * swap.watch_steps * limits.WATCH_SLACK)
    return max(wait, limits.WATCH_WAIT_MIN) + limits.CERTIFICATE_WAIT


def _abort(swap: Swap, decision: Do, _facts: Facts, now: datetime) -> None:
    abort_begin(swap=swap, actor=SYSTEM, code=decision.code, text=decision.text, now=now)


def _complete(swap: Swap, decision: Do, _facts: Facts, now: datetime) -> None:
    settle_completed(swap=swap, now=now)
    _move(swap, decision, now, detail={"certificate": str(swap.certificate_id)})


def _deviate(swap: Swap, decision: Do, _facts: Facts, now: datetime) -> None:
    _move(swap, decision, now)


def _end(swap: Swap, decision: Do, _facts: Facts, now: datetime) -> None:
    """End without success: what was held goes back, and the stop-loss counts."""
    if swap.state != State.WATCHING.value:
        settle(swap=swap, reason=decision.text or decision.action.value, now=now)
    _move(swap, decision, now)
    if swap.state == State.FAILED.value:
        stop_loss(swap=swap, now=now)


def ask_to_abort(swap: Swap, *, until: datetime, now: datetime) -> None:
    """Command the coordinator to give a swap up, in the caller's transaction."""
    node_id = command_node(swap)
    changes: dict[str, Any] = {
        "deadline_at": until,
        "look_at": min(until, now + limits.LOOK_EVERY),
        "abort_looks": swap.abort_looks + 1,
    }
    if node_id is not None:
        command = command_queue(
            tenant_id=swap.tenant_id,
            job_id=swap.job_id,
            node_id=node_id,
            kind="abort_swap",
            payload=AbortSwap(swap=swap.runtime_swap_id, reason=swap.abort_reason),
            key=f"{swap.reservation}:abort:{swap.abort_looks}",
            at=now,
        )
        changes["abort_command"] = command
    detail = {"command": str(changes["abort_command"].id)} if node_id is not None else {}
    swap_note(swap=swap, action="ask_abort", now=now, changes=changes, detail=detail)


Step = Callable[[Swap, Do, Facts, datetime], None]

STEPS: Final[Mapping[Action, Step]] = {
    Action.PLAN: _plan,
    Action.REVISE: _revise,
    Action.REQUEST_APPROVAL: _request_approval,
    Action.APPROVE: _decided,
    Action.REFUSE: _decided,
    Action.EXPIRE: _end,
    Action.WITHDRAW: _end,
    Action.PREPARE: _prepare,
    Action.VERIFY: _plain,
    Action.CUT_OVER: _plain,
    Action.TAKE_FORCE: _take_force,
    Action.ABORT: _abort,
    Action.UNDO: _end,
    Action.COMPLETE: _complete,
    Action.DEVIATE: _deviate,
    Action.FAIL: _end,
}

__all__ = ["STEPS", "Held", "ask_to_abort"]

"""What to do next with a swap. Pure: a swap, the facts around it, the time; a decision out.

The driver asks again after each step, and whenever a fact has arrived or a wait has ended. A
decision depends on nothing that was decided before, so a crash, a duplicate and a lost message
need no code of their own.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from apps.swaps.domain import limits, watching
from apps.swaps.domain.decisions import Ask, Decision, Do, Look, Wait
from apps.swaps.domain.facts import Facts, SwapView
from apps.swaps.domain.states import SENT, Action, State

#: Phases of the runtime, in order, and how far each is.
PHASES: Final = ("copying", "preparing", "verifying", "binding", "armed", "disarming", "in_force")
_CUTTING: Final = frozenset({"binding", "armed", "disarming", "in_force"})
#: Job states in which nothing can change hands any more.
ENDED: Final = frozenset({"finished", "failed", "stopped"})


def decide(*, swap: SwapView, facts: Facts, now: datetime) -> Decision:
    """Return the next step of a swap that has not ended."""
    decision = _RULES[swap.state](swap, facts, now)
    if isinstance(decision, Wait):
        return Wait(until=_soonest(decision.until, swap.deadline_at, now), why=decision.why)
    return decision


def _soonest(until: datetime, deadline_at: datetime | None, now: datetime) -> datetime:
    """Look again when the wait ends, and no later than every so often."""
    if deadline_at is not None and now < deadline_at:
        until = min(until, deadline_at)
    return min(until, now + limits.LOOK_EVERY)


def _is_late(swap: SwapView, now: datetime) -> bool:
    return swap.deadline_at is not None and now >= swap.deadline_at


def _wait(now: datetime, why: str, *, least: timedelta = limits.LOOK_EVERY) -> Wait:
    return Wait(until=now + least, why=why)


# ------------------------------------------------------------------------------ before it begins


def _proposed(swap: SwapView, facts: Facts, now: datetime) -> Decision:
    if facts.job_state in ENDED:
        return Do(action=Action.EXPIRE, code="job_ended", text=f"the job is {facts.job_state}")
    if swap.plans_count >= limits.PLANS_MAX:
        text = f"{swap.plans_count} plans were made, and none of them held"
        return Do(action=Action.EXPIRE, code="unsettled", text=text)
    if facts.plan_refused is None:
        return Do(action=Action.PLAN)
    if _is_late(swap, now):
        return Do(action=Action.EXPIRE, code="no_plan", text=facts.plan_refused)
    return _wait(now, facts.plan_refused, least=limits.PLAN_RETRY)


def _planned(swap: SwapView, facts: Facts, now: datetime) -> Decision:
    return _unless_void(swap, facts, now) or Do(action=Action.REQUEST_APPROVAL)


def _awaiting_approval(swap: SwapView, facts: Facts, now: datetime) -> Decision:
    void = _unless_void(swap, facts, now)
    if void is not None:
        return void
    match facts.approval:
        case "approved":
            return Do(action=Action.APPROVE)
        case "refused":
            return Do(action=Action.REFUSE, code="refused", text="the approver refused the plan")
        case "pending":
            return _wait(now, "waiting for a second person to decide")
        case "void":
            return Do(action=Action.REVISE, code="plan_void", text="its approval was declared void")
        case other:
            return Do(
                action=Action.EXPIRE,
                code="not_decided",
                text=f"the request for approval is {other or 'missing'}",
            )


def _approved(swap: SwapView, facts: Facts, now: datetime) -> Decision:
    void = _unless_void(swap, facts, now)
    if void is not None:
        return void
    if facts.held_by is not None:
        return _wait(now, facts.held_by)
    return Do(action=Action.PREPARE)


def _unless_void(swap: SwapView, facts: Facts, now: datetime) -> Decision | None:
    """Return what keeps a plan from going on as it is, whatever its state."""
    if facts.job_state in ENDED:
        return Do(action=Action.EXPIRE, code="job_ended", text=f"the job is {facts.job_state}")
    void = facts.plan_void
    if void is None and swap.approved_digest and swap.approved_digest != swap.plan_digest:
        void = "what was asked for is not this plan"
    if void is not None:
        return Do(action=Action.REVISE, code="plan_void", text=void)
    if _is_late(swap, now):
        why = facts.held_by or "nobody decided in time"
        return Do(action=Action.EXPIRE, code="too_late", text=why)
    return None


# ---------------------------------------------------------------------------------- under way


def _sent(swap: SwapView, facts: Facts, now: datetime) -> Decision:
    return (
        _settled(facts)
        or _ended_by_runtime(facts)
        or _next_phase(swap, facts)
        or _overdue(swap, facts, now)
        or _wait(now, _awaited(facts))
    )


def _settled(facts: Facts) -> Decision | None:
    """The rank has changed hands, whoever says so first; an end that says otherwise is later."""
    if facts.ending is not None and facts.ending.kind == "aborted":
        return None
    if facts.ending is not None or facts.phase == "in_force":
        return Do(action=Action.TAKE_FORCE)
    # notices may have been lost with a leader; who owns the rank never is
    return Do(action=Action.TAKE_FORCE, code="seen_by_owner") if facts.target_owns else None


def _ended_by_runtime(facts: Facts) -> Decision | None:
    if facts.ending is not None:
        return Do(action=Action.FAIL, code=_cause(facts.ending.text), text=facts.ending.text)
    if facts.job_state in ENDED:
        return Do(action=Action.FAIL, code="job_ended", text=f"the job is {facts.job_state}")
    order = facts.swap_order
    if order is None or not order.is_over:
        return None
    code, text = f"command_{order.state}", order.detail or f"the command has {order.state}"
    if order.did_nothing:
        return Do(action=Action.FAIL, code=code, text=text)
    # the agent may have been heard by the coordinator, and not the other way round
    return None if facts.phase is not None else Do(action=Action.ABORT, code=code, text=text)


#: What the coordinator says when it gives up, in parts that do not change, and a code for each.
_CAUSES: Final = (
    ("differ at step", "digests_differ"),
    ("not ready within", "not_ready"),
    ("did not connect", "not_connected"),
    ("not in force within", "not_in_force"),
    ("did not keep the rank", "target_lost"),
    ("leader has changed", "leader_changed"),
    ("died", "epoch_died"),
    ("aborted by", "aborted_by_hand"),
)


def _cause(text: str) -> str:
    return next((code for part, code in _CAUSES if part in text), "given_up")


def _next_phase(swap: SwapView, facts: Facts) -> Decision | None:
    if facts.phase in _CUTTING and swap.state is not State.CUTTING_OVER:
        return Do(action=Action.CUT_OVER)
    if facts.phase == "verifying" and swap.state is State.PREPARING:
        return Do(action=Action.VERIFY)
    return None


def _overdue(swap: SwapView, facts: Facts, now: datetime) -> Decision | None:
    if not _is_late(swap, now):
        return None
    return Do(
        action=Action.ABORT,
        code="deadline",
        text=f"{swap.state.value} took longer than its deadline; {_awaited(facts)}",
    )


def _awaited(facts: Facts) -> str:
    """Say what is being waited for."""
    order = facts.swap_order
    if order is None or order.state == "queued":
        return "the command has not reached the agent yet"
    if facts.phase is None:
        return "the coordinator has not told a phase yet"
    return f"the coordinator is {facts.phase.replace('_', ' ')}"


# ---------------------------------------------------------------------------------- giving up


def _aborting(swap: SwapView, facts: Facts, now: datetime) -> Decision:
    known = _settled(facts) or _undone(facts)
    if known is not None:
        return known
    if facts.abort_order is None and swap.runtime_swap_id:
        return Ask(until=now + limits.ABORT_WAIT)
    if not _is_late(swap, now):
        return _wait(now, "asked the coordinator to give it up")
    return _aborting_late(swap, facts, now)


def _undone(facts: Facts) -> Decision | None:
    """It was given up, or never begun."""
    if facts.ending is not None:
        return Do(action=Action.UNDO, text=facts.ending.text)
    if facts.job_state in ENDED:
        return Do(action=Action.UNDO, text=f"the job is {facts.job_state}")
    order = facts.swap_order
    if order is not None and order.did_nothing:
        return Do(action=Action.UNDO, text=f"the command was {order.state}: {order.detail}")
    return None


def _aborting_late(swap: SwapView, facts: Facts, now: datetime) -> Decision:
    """Nothing was heard in time: believe the job's own account, once there is a fresh one."""
    reported_at, asked_at = facts.job_reported_at, swap.abort_asked_at
    assert asked_at is not None, "a swap is given up from a moment on"
    fresh = reported_at is not None and now - reported_at <= limits.REPORT_FRESH
    patience = limits.CUT_OVER_WAIT + limits.REPORT_FRESH
    if fresh and facts.target_owns is False and now - asked_at >= patience:
        return Do(action=Action.UNDO, text="the source still owns the rank, long after the limit")
    if swap.abort_looks >= limits.ABORT_LOOKS_MAX:
        return Do(action=Action.FAIL, code="outcome_unknown", text="the agent stayed silent")
    asked = facts.abort_order
    if asked is not None and asked.state in ("failed", "expired"):
        return Ask(until=now + limits.ABORT_WAIT)
    return Look(until=now + limits.ABORT_WAIT, why="no fresh account of the job yet")


# ------------------------------------------------------------------------- after a loss, and watch


def _taking_over(swap: SwapView, facts: Facts, now: datetime) -> Decision:
    if facts.ending is not None and facts.ending.kind == "completed":
        return Do(action=Action.TAKE_FORCE)
    if facts.job_state in ENDED:
        return Do(action=Action.FAIL, code="job_ended", text=f"the job is {facts.job_state}")
    if _is_late(swap, now):
        return Do(action=Action.FAIL, code="no_takeover", text="no standby took the rank over")
    return _wait(now, "a mirror takes the rank over")


_RULES: Final[Mapping[State, Callable[[SwapView, Facts, datetime], Decision]]] = {
    State.PROPOSED: _proposed,
    State.PLANNED: _planned,
    State.AWAITING_APPROVAL: _awaiting_approval,
    State.APPROVED: _approved,
    **dict.fromkeys(SENT, _sent),
    State.ABORTING: _aborting,
    State.WATCHING: watching.decide,
    State.TAKING_OVER: _taking_over,
}

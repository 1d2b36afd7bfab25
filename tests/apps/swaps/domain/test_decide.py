"""One decision for each thing that can be known."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.swaps.domain import limits
from apps.swaps.domain.decide import PHASES, decide
from apps.swaps.domain.decisions import Ask, Decision, Do, Look, Wait
from apps.swaps.domain.facts import Ending, Facts
from apps.swaps.domain.states import OPEN, SENT, TABLE, UNSENT, Action, State
from tests.apps.swaps.domain.making import LATER, NOW, facts, order, swap_in


def decided(state: State, known: Facts, **changes: Any) -> Decision:
    return decide(swap=swap_in(state, **changes), facts=known, now=NOW)


def action(decision: Decision) -> tuple[Action, str]:
    assert isinstance(decision, Do), decision
    return decision.action, decision.code


# ------------------------------------------------------------------------------ before it begins


def test_a_proposal_is_planned() -> None:
    assert action(decided(State.PROPOSED, facts())) == (Action.PLAN, "")


def test_a_proposal_without_a_plan_waits_and_then_expires() -> None:
    known = facts(plan_refused="there is no spare")
    assert decided(State.PROPOSED, known) == Wait(
        until=NOW + limits.PLAN_RETRY, why="there is no spare"
    )
    late = decide(swap=swap_in(State.PROPOSED), facts=known, now=LATER)
    assert action(late) == (Action.EXPIRE, "no_plan")


def test_facts_that_never_settle_end_a_proposal() -> None:
    tired = decided(State.PROPOSED, facts(), plans_count=limits.PLANS_MAX)
    assert action(tired) == (Action.EXPIRE, "unsettled")


@pytest.mark.parametrize(
    ("approval", "expected"),
    [
        ("approved", (Action.APPROVE, "")),
        ("refused", (Action.REFUSE, "refused")),
        ("expired", (Action.EXPIRE, "not_decided")),
        ("void", (Action.REVISE, "plan_void")),
        (None, (Action.EXPIRE, "not_decided")),
    ],
    ids=str,
)
def test_an_approval_decides(approval: str | None, expected: tuple[Action, str]) -> None:
    assert action(decided(State.AWAITING_APPROVAL, facts(approval=approval))) == expected


def test_a_pending_approval_is_waited_for() -> None:
    assert isinstance(decided(State.AWAITING_APPROVAL, facts(approval="pending")), Wait)


@pytest.mark.parametrize("state", [State.PLANNED, State.AWAITING_APPROVAL, State.APPROVED], ids=str)
def test_a_plan_that_no_longer_holds_is_made_anew_even_if_it_was_approved(state: State) -> None:
    known = facts(plan_void="n5 is high", approval="approved")
    assert action(decided(state, known)) == (Action.REVISE, "plan_void")


def test_an_approval_of_another_plan_counts_for_nothing() -> None:
    known = facts(approval="approved")
    other = decided(State.APPROVED, known, approved_digest="sha256:other")
    assert action(other) == (Action.REVISE, "plan_void")


def test_a_brake_holds_what_is_approved_until_it_is_too_late() -> None:
    known = facts(held_by="the brake is on")
    assert decided(State.APPROVED, known) == Wait(
        until=NOW + limits.LOOK_EVERY, why="the brake is on"
    )
    late = decide(swap=swap_in(State.APPROVED), facts=known, now=LATER)
    assert action(late) == (Action.EXPIRE, "too_late")


def test_what_is_approved_and_free_begins() -> None:
    assert action(decided(State.APPROVED, facts())) == (Action.PREPARE, "")


@pytest.mark.parametrize("state", sorted(UNSENT), ids=str)
def test_nothing_begins_in_a_job_that_has_ended(state: State) -> None:
    known = facts(job_state="finished", approval="approved")
    assert action(decided(state, known)) == (Action.EXPIRE, "job_ended")


# ------------------------------------------------------------------------------------- under way


@pytest.mark.parametrize(
    ("state", "phase", "expected"),
    [
        (State.PREPARING, "copying", None),
        (State.PREPARING, "preparing", None),
        (State.PREPARING, "verifying", Action.VERIFY),
        (State.PREPARING, "armed", Action.CUT_OVER),
        (State.PREPARING, "in_force", Action.TAKE_FORCE),
        (State.VERIFYING, "verifying", None),
        (State.VERIFYING, "binding", Action.CUT_OVER),
        (State.CUTTING_OVER, "armed", None),
        (State.CUTTING_OVER, "disarming", None),
        (State.CUTTING_OVER, "in_force", Action.TAKE_FORCE),
    ],
    ids=str,
)
def test_phases_of_the_runtime_move_the_swap(
    state: State, phase: str, expected: Action | None
) -> None:
    decision = decided(state, facts(swap_order=order(), phase=phase))
    assert (decision.action if isinstance(decision, Do) else None) == expected


@pytest.mark.parametrize("state", sorted(SENT), ids=str)
def test_an_owner_says_it_even_if_every_notice_was_lost(state: State) -> None:
    known = facts(swap_order=order("sent"), target_owns=True)
    assert action(decided(state, known)) == (Action.TAKE_FORCE, "seen_by_owner")


@pytest.mark.parametrize("state", sorted(SENT), ids=str)
def test_an_end_that_the_runtime_tells_is_later_than_all_else(state: State) -> None:
    ending = Ending(kind="aborted", text="swap 0001: n5 was not ready within prepare_s = 60 s")
    known = facts(swap_order=order(), phase="in_force", target_owns=True, ending=ending)
    assert action(decided(state, known)) == (Action.FAIL, "not_ready")


def test_a_command_that_was_certainly_not_carried_out_fails_the_swap() -> None:
    refused = facts(swap_order=order("refused", "swap 7 is under way"))
    assert action(decided(State.PREPARING, refused)) == (Action.FAIL, "command_refused")
    stayed = facts(swap_order=order("expired", left=False))
    assert action(decided(State.PREPARING, stayed)) == (Action.FAIL, "command_expired")


@pytest.mark.parametrize("state", ["expired", "failed"])
def test_a_command_that_may_have_been_carried_out_is_given_up(state: str) -> None:
    known = facts(swap_order=order(state))
    assert action(decided(State.PREPARING, known)) == (Action.ABORT, f"command_{state}")
    begun = facts(swap_order=order(state), phase="copying")
    assert isinstance(decided(State.PREPARING, begun), Wait)


@pytest.mark.parametrize("state", sorted(SENT), ids=str)
def test_a_phase_that_takes_too_long_is_given_up(state: State) -> None:
    known = facts(swap_order=order("sent"))
    late = decide(swap=swap_in(state), facts=known, now=LATER)
    assert action(late) == (Action.ABORT, "deadline")


# ------------------------------------------------------------------------------------- giving up


def aborting(known: Facts, *, looks: int = 0, seconds: float = 0, runtime: str = "") -> Decision:
    swap = swap_in(State.ABORTING, abort_asked_at=NOW, abort_looks=looks, runtime_swap_id=runtime)
    return decide(swap=swap, facts=known, now=NOW + timedelta(seconds=seconds))


def test_giving_up_ends_when_the_runtime_says_so() -> None:
    known = facts(swap_order=order(), ending=Ending(kind="aborted", text="swap 0001: asked"))
    assert action(aborting(known)) == (Action.UNDO, "")


def test_giving_up_too_late_goes_on_with_what_is_in_force() -> None:
    known = facts(swap_order=order(), phase="in_force")
    assert action(aborting(known)) == (Action.TAKE_FORCE, "")


def test_giving_up_what_was_never_begun_is_over_at_once() -> None:
    known = facts(swap_order=order("refused", "no standby"))
    assert action(aborting(known)) == (Action.UNDO, "")


def test_the_coordinator_is_asked_as_soon_as_its_id_of_the_swap_is_known() -> None:
    unknown, known = facts(swap_order=order("sent")), facts(swap_order=order())
    assert isinstance(aborting(unknown), Wait)
    assert isinstance(aborting(known, runtime="0001"), Ask)
    asked = facts(swap_order=order(), abort_order=order("sent"))
    assert isinstance(aborting(asked, runtime="0001"), Wait)


def test_the_coordinator_is_asked_again_if_the_agent_could_not() -> None:
    failed = facts(swap_order=order(), abort_order=order("expired"), target_owns=None)
    assert isinstance(aborting(failed, seconds=600, runtime="0001"), Ask)


def test_silence_is_no_proof_that_it_was_given_up() -> None:
    silent = facts(swap_order=order("sent"), target_owns=None, job_reported_at=NOW)
    assert isinstance(aborting(silent, seconds=600), Look)


def test_a_fresh_account_long_after_the_limit_is_proof() -> None:
    fresh = facts(swap_order=order("sent"), job_reported_at=NOW + timedelta(seconds=590))
    assert action(aborting(fresh, seconds=600)) == (Action.UNDO, "")


def test_a_day_of_silence_ends_as_unknown() -> None:
    silent = facts(swap_order=order("sent"), job_reported_at=None)
    late = aborting(silent, looks=limits.ABORT_LOOKS_MAX, seconds=600)
    assert action(late) == (Action.FAIL, "outcome_unknown")


# ----------------------------------------------------------------------------------- after a loss


def test_a_takeover_is_over_when_the_runtime_says_so() -> None:
    known = facts(ending=Ending(kind="completed"), target_owns=True)
    assert action(decided(State.TAKING_OVER, known)) == (Action.TAKE_FORCE, "")


def test_a_takeover_that_nobody_makes_has_failed() -> None:
    late = decide(swap=swap_in(State.TAKING_OVER), facts=facts(), now=LATER)
    assert action(late) == (Action.FAIL, "no_takeover")
    assert action(decided(State.TAKING_OVER, facts(job_state="failed"))) == (
        Action.FAIL,
        "job_ended",
    )


# --------------------------------------------------------------------------------- all of them

ORDERS = st.none() | st.sampled_from(
    ["queued", "sent", "accepted", "done", "failed", "refused", "expired"]
).map(order)
ENDINGS = st.none() | st.sampled_from(["completed", "aborted"]).map(lambda kind: Ending(kind=kind))
FACTS = st.builds(
    Facts,
    plan_void=st.none() | st.just("void"),
    plan_refused=st.none() | st.just("no spare"),
    approval=st.sampled_from([None, "pending", "approved", "refused", "expired", "void"]),
    held_by=st.none() | st.just("brake"),
    swap_order=ORDERS,
    abort_order=ORDERS,
    phase=st.none() | st.sampled_from(PHASES),
    ending=ENDINGS,
    target_owns=st.none() | st.booleans(),
    job_state=st.sampled_from(["running", "finished", "failed", "stopped", "starting"]),
    job_reported_at=st.none() | st.just(NOW),
    committed_step=st.none() | st.integers(0, 30),
    certified=st.booleans(),
    states_equal=st.none() | st.booleans(),
)


@given(state=st.sampled_from(OPEN), known=FACTS, seconds=st.integers(0, 100_000))
def test_a_decision_is_always_possible_and_a_wait_always_ends(
    state: State, known: Facts, seconds: int
) -> None:
    now = NOW + timedelta(seconds=seconds)
    swap = swap_in(state, abort_asked_at=NOW, watch_from_step=5)
    decision = decide(swap=swap, facts=known, now=now)
    if isinstance(decision, Do):
        assert state in TABLE.sources(decision.action)
    else:
        assert now < decision.until <= now + timedelta(minutes=2)

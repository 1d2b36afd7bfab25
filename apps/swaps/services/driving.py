"""The driver: asks what to do next, and does it, one transaction a step.

It knows the database and nothing else. Whatever dies, and whenever: the next call goes on from
what is written. Two drivers at once make each step once: the second one's UPDATE finds no row.
"""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.swaps.domain import limits
from apps.swaps.domain.decide import decide
from apps.swaps.domain.decisions import Ask, Decision, Do, Look, Wait
from apps.swaps.domain.facts import Facts
from apps.swaps.domain.states import TABLE, Action
from apps.swaps.errors import SwapMoved
from apps.swaps.models import Swap
from apps.swaps.models.swaps import OPEN_STATES
from apps.swaps.selectors.facts import facts_of, view_of
from apps.swaps.services.planning import NotPlanned
from apps.swaps.services.steps import STEPS, Held, ask_to_abort
from apps.swaps.services.takeovers import takeovers_record
from apps.swaps.services.telling import news_note
from apps.swaps.services.transitions import swap_claim, swap_read


def swap_advance(*, swap_id: UUID, now: datetime) -> Swap:
    """Take every step that a swap can take now; safe to call at any time, and twice.

    Raises:
        SwapUnknown: there is none.
    """
    swap = swap_read(swap_id)
    # a lost owner comes before everything else
    takeovers_record(job_id=swap.job_id, now=now)
    swap = swap_read(swap_id)
    for _ in range(limits.STEPS_PER_CALL_MAX):
        if swap.state in TABLE.terminal:
            return swap
        try:
            went_on = _step(swap, now=now)
        except SwapMoved:
            # somebody else is at it: see what they have made of it
            went_on = True
        swap = swap_read(swap_id)
        if not went_on:
            return swap
    # more is to be done: others first
    Swap.objects.filter(id=swap_id, state=swap.state).update(look_at=now)
    return swap


def _step(swap: Swap, *, now: datetime) -> bool:
    """Take one step; False if there is nothing to do before the next look."""
    facts = facts_of(swap=swap, now=now)
    if news_note(swap=swap, facts=facts, now=now):
        return True
    decision = decide(swap=view_of(swap), facts=facts, now=now)
    if isinstance(decision, Do):
        return _do(swap, decision, facts, now=now)
    return _rest(swap, decision, now=now)


def _do(swap: Swap, decision: Do, facts: Facts, *, now: datetime) -> bool:
    try:
        with transaction.atomic():
            swap_claim(swap)
            STEPS[decision.action](swap, decision, facts, now)
    except Held as held:
        return _rest(swap, Wait(until=now + limits.LOOK_EVERY, why=str(held)), now=now)
    except NotPlanned as refused:
        known = Facts(
            plan_refused=str(refused),
            job_state=facts.job_state,
            job_reported_at=facts.job_reported_at,
        )
        again = decide(swap=view_of(swap), facts=known, now=now)
        if isinstance(again, Do):
            assert again.action is Action.EXPIRE, again
            return _do(swap, again, known, now=now)
        return _rest(swap, again, now=now)
    return True


def _rest(swap: Swap, decision: Decision, *, now: datetime) -> bool:
    """Write down when to look again; a fact that has arrived meanwhile is looked at at once."""
    match decision:
        case Wait():
            waiting = {"look_at": decision.until, "waiting_for": decision.why[:500]}
            rows = Swap.objects.filter(id=swap.id, state=swap.state, pokes=swap.pokes)
            return not rows.update(**waiting)
        case Ask():
            with transaction.atomic():
                swap_claim(swap)
                ask_to_abort(swap, until=decision.until, now=now)
        case Look():
            changes = {
                "deadline_at": decision.until,
                "look_at": decision.until,
                "abort_looks": swap.abort_looks + 1,
                "waiting_for": decision.why,
            }
            Swap.objects.filter(id=swap.id, state=swap.state).update(**changes)
        case Do():
            raise AssertionError(decision)
    return False


def swaps_due(*, now: datetime) -> list[UUID]:
    """Return the swaps that are to be looked at, the longest due first."""
    due = Swap.objects.filter(state__in=OPEN_STATES, look_at__lte=now).order_by("look_at")
    return list(due.values_list("id", flat=True)[: limits.SWAPS_PER_RUN_MAX])

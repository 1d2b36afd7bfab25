"""Values for tests of the domain: a swap, facts and plans as they are when all is well."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from apps.swaps.domain.facts import Facts, Order, SwapView
from apps.swaps.domain.plan import Candidate, Place, Wish
from apps.swaps.domain.states import State

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
DIGEST = "sha256:plan"


def swap_in(state: State, **changes: Any) -> SwapView:
    view = SwapView(
        state=state,
        unplanned=state is State.TAKING_OVER,
        deadline_at=NOW + timedelta(minutes=1),
        target_member="node-5",
        plan_digest=DIGEST,
        approved_digest=DIGEST,
        plans_count=0,
        watch_from_step=None,
        watch_steps=10,
        band=None,
        abort_asked_at=None,
        abort_reason="",
        abort_looks=0,
        runtime_swap_id="",
    )
    return replace(view, **changes)


def facts(**changes: Any) -> Facts:
    return replace(Facts(job_reported_at=NOW, target_owns=False), **changes)


def order(state: str = "done", detail: str = "", *, left: bool = True) -> Order:
    return Order(state=state, detail=detail, left=left)


def place(number: int, **changes: Any) -> Place:
    node = Place(
        id=UUID(int=number),
        name=f"n{number}",
        rack=f"r{number % 2}",
        domains=frozenset({f"rack r{number % 2}"}),
        state="active",
        grade="low",
    )
    return replace(node, **changes)


def candidate(number: int, **changes: Any) -> Candidate:
    node = Candidate(
        place=place(number),
        is_spare=True,
        reserved_for=None,
        member=f"node-{number}",
        mirror="protected",
        lag_steps=0,
    )
    return replace(node, **changes)


def wish(**changes: Any) -> Wish:
    wanted = Wish(
        swap_id=UUID(int=100),
        reservation="swap:100",
        also_reserved="job:200",
        job_id=UUID(int=200),
        job_name="gpt",
        job_state="running",
        rank=2,
        source=place(3, grade="high"),
        source_member="node-3",
        cause_domains=frozenset({"rack r1"}),
        target_id=None,
        evidence_digest="sha256:evidence",
        radius_refusal=None,
        band=None,
        watch_steps=10,
    )
    return replace(wanted, **changes)

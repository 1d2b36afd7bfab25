"""Swaps as people and programs see them."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from apps.fleet.domain.grades import Grade
from apps.fleet.models import Node
from apps.swaps.domain.states import State
from apps.swaps.models import Swap
from apps.swaps.models.swaps import OPEN_STATES

_SHOWN = (
    "job",
    "source_node__report",
    "target_node__report",
)


def swaps_shown() -> QuerySet[Swap]:
    """Return swaps with what every view of them shows; one query."""
    return Swap.objects.select_related(*_SHOWN)


def swaps_open(*, tenants: Collection[UUID]) -> QuerySet[Swap]:
    """Return the swaps that have not ended, the newest first."""
    return swaps_shown().filter(tenant_id__in=tenants, state__in=OPEN_STATES).order_by("-id")


def swap_last(*, tenants: Collection[UUID]) -> Swap | None:
    """Return the swap that changed a rank's owner last; None: none has."""
    done = (State.COMPLETED.value, State.DEVIATED.value)
    rows = swaps_shown().filter(tenant_id__in=tenants, state__in=done)
    return rows.order_by("-ended_at", "-id").first()


def node_ref(node: Node | None, *, now: datetime) -> dict[str, str] | None:
    """Return a node with its grade as it is now; None: it is not known."""
    if node is None:
        return None
    report = getattr(node, "report", None)
    fresh = report is not None and report.stale_at > now
    grade = node.grade if fresh else Grade.UNKNOWN.value
    return {"id": str(node.id), "name": node.name, "grade": grade}


def phases_of(swap: Swap) -> list[dict[str, Any]]:
    """Return the states that a swap has been in, in their order; one query."""
    moves = [
        event for event in swap.events.order_by("sequence") if event.from_state != event.to_state
    ]
    return [
        {
            "state": move.to_state,
            "entered_at": move.at,
            "left_at": after.at if after is not None else None,
            "actor": move.actor,
            "deadline_at": swap.deadline_at
            if after is None and swap.deadline_at is not None
            else move.deadline_at,
        }
        for move, after in zip(moves, [*moves[1:], None], strict=True)
    ]


def plan_shown(swap: Swap) -> dict[str, Any] | None:
    """Return a plan as it is shown: its parts in words, and the document that is approved."""
    plan = swap.plan
    if plan is None or "constraints" not in plan:
        return None
    constraints = plan["constraints"]
    radius = next((each["text"] for each in constraints if each["name"] == "blast_radius"), None)
    return {
        "reservation": f"{plan['target']['name']} for rank {swap.rank}, until the swap ends",
        "blast_radius": radius,
        "constraints": constraints,
        "document": plan,
    }


def band_shown(swap: Swap) -> dict[str, Any] | None:
    """Return the registered band."""
    if swap.band is None:
        return None
    shown = ("series", "half_width", "rule", "points")
    return {"center": swap.band["centre"], **{name: swap.band[name] for name in shown}}

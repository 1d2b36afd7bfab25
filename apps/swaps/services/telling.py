"""What the runtime has told becomes part of a swap's own record."""

from datetime import datetime
from typing import Any

from django.db import transaction

from apps.jobs.models import Member
from apps.swaps.domain.facts import Facts
from apps.swaps.models import Swap
from apps.swaps.selectors.facts import certificate_of
from apps.swaps.services.transitions import swap_note

#: Fields that hold what was measured.
_MEASURES = ("pause_ms", "stall_ms", "steps_lost")


def news_note(*, swap: Swap, facts: Facts, now: datetime) -> bool:
    """Write down what is new; False if nothing is.

    Raises:
        SwapMoved: the swap has changed meanwhile.
    """
    changes = _changes(swap, facts)
    if not changes:
        return False
    shown = {name: value for name, value in changes.items() if name != "target_node_id"}
    detail = {name: _plain(value) for name, value in shown.items()}
    with transaction.atomic():
        swap_note(swap=swap, action="told", now=now, changes=changes, detail=detail)
    return True


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float) else str(value)


def _changes(swap: Swap, facts: Facts) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if facts.phase is not None and facts.phase != swap.runtime_phase:
        changes["runtime_phase"] = facts.phase
    if facts.runtime_swap_id and not swap.runtime_swap_id:
        changes["runtime_swap_id"] = facts.runtime_swap_id
    for name in _MEASURES:
        value = facts.measured.get(name)
        if value is not None and getattr(swap, name) is None:
            changes[name] = int(value) if name == "steps_lost" else value
    if swap.kind == "unplanned" and facts.new_owner and not swap.target_member:
        changes["target_member"] = facts.new_owner
        changes["target_node_id"] = _node_of(swap, facts.new_owner)
    if facts.certified and swap.certificate_id is None:
        certificate = certificate_of(swap)
        if certificate is not None:
            changes["certificate_id"] = certificate.id
    return changes


def _node_of(swap: Swap, member: str) -> Any:  # noqa: ANN401 - an id, or None
    rows = Member.objects.filter(job_id=swap.job_id, name=member)
    return rows.values_list("node_id", flat=True).first()

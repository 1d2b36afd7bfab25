"""What the runtime has told of a swap: phases, its end, what was measured."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from apps.jobs.models import JobEvent
from apps.swaps.domain.decide import PHASES
from apps.swaps.domain.facts import Ending
from apps.swaps.domain.limits import EVENTS_PER_RUN_MAX
from apps.swaps.models import Swap

#: Kinds of notices that are about a change of owner.
KINDS: Final = ("swap_phase", "swap_completed", "swap_aborted", "unplanned_completed")
#: Measured values that are kept.
MEASURES: Final = ("pause_ms", "stall_ms", "steps_lost")
_ID: Final = re.compile(r"^swap ([A-Za-z0-9][A-Za-z0-9._-]{0,99}):? ?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What notices say about one swap."""

    # last phase; None: none
    phase: str | None = None
    # how it ended; None: it has not, or nobody has said so
    ending: Ending | None = None
    # first step of the new owner; None: not told
    in_force_step: int | None = None
    # the new owner; "": not told
    new_owner: str = ""
    # the coordinator's id; "": not told
    runtime_swap_id: str = ""
    # what was measured, by name
    measured: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))


def told_of(swap: Swap) -> Told:
    """Return what the job's notices say about a swap; one query."""
    told = Told(runtime_swap_id=swap.runtime_swap_id)
    rows = JobEvent.objects.filter(
        job_id=swap.job_id, rank=swap.rank, sequence__gt=swap.events_from, kind__in=KINDS
    )
    for event in rows.order_by("sequence")[:EVENTS_PER_RUN_MAX]:
        told = _fold(told, event, unplanned=swap.kind == "unplanned", target=swap.target_member)
    return told


def _fold(told: Told, event: JobEvent, *, unplanned: bool, target: str) -> Told:
    if event.kind == "swap_phase":
        return told if unplanned or event.member not in ("", target) else _phase(told, event)
    if event.kind == "unplanned_completed" and not unplanned:
        return told
    identity, text = runtime_id(event.text)
    if told.runtime_swap_id and identity and identity != told.runtime_swap_id:
        # another swap of the same rank, which somebody began by hand
        return told
    if event.kind == "swap_aborted":
        return told if unplanned else _with(told, ending=Ending(kind="aborted", text=text))
    values = {
        name: float(event.values[name]) for name in MEASURES if event.values.get(name) is not None
    }
    return _with(
        told,
        ending=Ending(kind="completed", text=text),
        in_force_step=event.step if event.step is not None else told.in_force_step,
        new_owner=event.member,
        runtime_swap_id=told.runtime_swap_id or identity,
        measured=values,
    )


def _phase(told: Told, event: JobEvent) -> Told:
    """Go on to a phase; one that is told late, after a later one, is no step back."""
    if told.ending is not None or _place(event.text) < _place(told.phase):
        return told
    step = event.step if event.text == "in_force" else None
    return _with(
        told,
        phase=event.text,
        in_force_step=told.in_force_step if step is None else step,
        new_owner=event.member if event.text == "in_force" else told.new_owner,
    )


def _place(phase: str | None) -> int:
    return PHASES.index(phase) if phase in PHASES else -1


def _with(told: Told, **changes: object) -> Told:
    fields = {name: getattr(told, name) for name in Told.__dataclass_fields__}
    return Told(**(fields | changes))


def runtime_id(text: str) -> tuple[str, str]:
    """Return the coordinator's id of a swap and the rest of what it says; ids may be missing."""
    match = _ID.match(text)
    return ("", text) if match is None else (match[1], match[2])

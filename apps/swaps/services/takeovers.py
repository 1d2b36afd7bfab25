"""Owners that were lost: a takeover by the pre-authorised policy enters the same history.

The job's coordinators act by themselves, within a second and without asking. What they did is read
from the job's events, each once and in order: the cursor moves in the transaction of its effect.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from apps.core import outbox
from apps.core.access import SYSTEM, Actor, ActorKind
from apps.core.ids import new_id
from apps.jobs.models import Job, JobEvent, Member
from apps.swaps.domain import limits
from apps.swaps.domain.states import SENT, TABLE, UNSENT, Action, State
from apps.swaps.errors import SwapMoved
from apps.swaps.models import JobCursor, Swap
from apps.swaps.models.swaps import OPEN_STATES
from apps.swaps.selectors.told import told_of
from apps.swaps.services.planning import band_now
from apps.swaps.services.settling import settle
from apps.swaps.services.transitions import Move, swap_claim, swap_create, swap_note, transition

#: Events that tell of a rank whose owner was lost.
KINDS: Final = ("member_lost", "unplanned_completed")
#: What allows a takeover without anybody's approval; shown with each.
POLICY: Final = {
    "name": "unplanned-takeover",
    "version": 1,
    "text": "When an owner is lost, its most recent mirror takes the rank over at once.",
}


def facts_arrived(
    *, notable: Collection[UUID], at: datetime, stepped: Collection[UUID] = ()
) -> int:
    """Make the swaps due that what was told may concern, and have events looked through.

    Called with each thing that agents tell: one query where nothing is open. Steps concern a swap
    that is watched, and no other.

    Args:
        notable: jobs of which something other than committed steps was told.
        at: when.
        stepped: jobs of which nothing else was.
    """
    concerned = Q(job_id__in=notable, state__in=OPEN_STATES)
    concerned |= Q(job_id__in=stepped, state=State.WATCHING.value)
    found = list(Swap.objects.filter(concerned).values_list("id", "job_id"))
    for swap_id, _ in found:
        # each by itself: whoever locks several at once has to do so in an order
        due = Swap.objects.filter(id=swap_id, state__in=OPEN_STATES)
        due.update(look_at=at, pokes=F("pokes") + 1)
    for job_id in {*notable, *(job_id for _, job_id in found)}:
        with transaction.atomic():
            outbox.put(
                topic="wake",
                tenant_id=None,
                kind="swap_facts",
                payload={"job_id": str(job_id)},
                at=at,
            )
    return len(found)


def takeovers_record(*, job_id: UUID, now: datetime) -> list[UUID]:
    """Look through the events of a job that are new; return the swaps that are due by them."""
    due: list[UUID] = []
    for _ in range(limits.EVENTS_PER_RUN_MAX):
        try:
            taken = _take_next(job_id=job_id, now=now)
        except SwapMoved:
            # somebody else drives the swap: look at the event once more, and at what it is now
            continue
        if taken is None:
            return due
        due += taken
    return due


@transaction.atomic
def _take_next(*, job_id: UUID, now: datetime) -> list[UUID] | None:
    """Take the next event in; return the swap that is due by it, if any. None: there is none."""
    cursor = _cursor(job_id)
    if cursor is None:
        return None
    event = (
        JobEvent.objects.filter(
            job_id=job_id, sequence__gt=cursor.sequence, kind__in=KINDS, rank__isnull=False
        )
        .order_by("sequence")
        .first()
    )
    if event is None:
        return None
    swap = _take_in(event, now)
    JobCursor.objects.filter(job_id=job_id).update(sequence=event.sequence)
    return [] if swap is None else [swap.id]


def takeovers_wait(*, job_id: UUID) -> bool:
    """Tell whether events of a job have not been looked through yet."""
    cursor = JobCursor.objects.filter(job_id=job_id).values_list("sequence", flat=True).first()
    return JobEvent.objects.filter(
        job_id=job_id, sequence__gt=cursor or 0, kind__in=KINDS, rank__isnull=False
    ).exists()


def _cursor(job_id: UUID) -> JobCursor | None:
    """Return the job's cursor, locked; None: there is no such job."""
    if not Job.objects.filter(id=job_id).exists():
        return None
    JobCursor.objects.get_or_create(job_id=job_id)
    return JobCursor.objects.select_for_update(no_key=True).get(job_id=job_id)


def _take_in(event: JobEvent, now: datetime) -> Swap | None:
    """Let one event have its effect; return the takeover that it is about."""
    assert event.rank is not None, "filtered by it"
    swap = (
        Swap.objects.select_related("job")
        .filter(job_id=event.job_id, rank=event.rank, state__in=OPEN_STATES)
        .first()
    )
    if swap is not None and swap.state == State.TAKING_OVER.value:
        detail = {"kind": event.kind, "member": event.member, "text": event.text}
        return swap_note(swap=swap, action="told", now=now, changes={}, detail=detail)
    if swap is not None and (event.sequence <= swap.events_from or _is_known(swap, event)):
        return swap
    if _is_of_the_stop(event):
        return swap
    if swap is not None:
        _supersede(swap, event, now)
    return _open(event, now)


def _is_of_the_stop(event: JobEvent) -> bool:
    """Whether an owner was lost because somebody has the job stopped: its processes just end."""
    stopped_at = event.job.stop_requested_at
    return stopped_at is not None and event.at >= stopped_at


def _is_known(swap: Swap, event: JobEvent) -> bool:
    """Whether an event tells nothing that is new about a swap."""
    if event.kind == "unplanned_completed":
        return event.member in (swap.source_member, swap.target_member)
    # a former owner that leaves after it has handed over
    handed_over = swap.state == State.WATCHING.value or told_of(swap).phase == "in_force"
    return handed_over and event.member != swap.target_member


def _supersede(swap: Swap, event: JobEvent, now: datetime) -> None:
    """End what was open for the rank: its owner is gone."""
    text = f"{event.member or 'the owner'} was lost: {event.text}"
    state = State(swap.state)
    if state in UNSENT:
        action, code = Action.WITHDRAW, "superseded"
    elif state in SENT or state is State.ABORTING:
        action, code = Action.FAIL, "source_lost"
    else:
        action, code = Action.FAIL, "target_lost"
    assert swap.state in TABLE.sources(action), "an open swap can end"
    swap_claim(swap)
    if state is not State.WATCHING:
        settle(swap=swap, reason=text, now=now)
    transition(swap=swap, move=Move(action=action, code=code, text=text), now=now)


def _open(event: JobEvent, now: datetime) -> Swap:
    """Write down that a takeover is under way."""
    job, lost = event.job, event.kind == "member_lost"
    source = event.member if lost else ""
    agent = Actor(kind=ActorKind.AGENT, id="", name=job.leader or "coordinator")
    fields: dict[str, Any] = {
        "id": new_id(),
        "tenant_id": job.tenant_id,
        "job_id": job.id,
        "rank": event.rank,
        "kind": "unplanned",
        "state": State.TAKING_OVER.value,
        "source_member": source,
        "source_node_id": _node_of(job.id, source),
        "proposer": SYSTEM.as_json(),
        "reason": event.text[: limits.REASON_LENGTH_MAX],
        "evidence": {"event": event.kind, "sequence": event.sequence, "member": event.member},
        "plan": {"policy": POLICY},
        # what ended it may be this very event
        "events_from": event.sequence - 1,
        "created_at": now,
    }
    swap = Swap(job=job, watch_steps=limits.WATCH_STEPS)
    # it may be told long after, together with losses since
    fields["band"] = band_now(swap, before_step=event.step)
    return swap_create(fields=fields, actor=agent, detail={"text": event.text, "policy": POLICY})


def _node_of(job_id: UUID, member: str) -> UUID | None:
    rows = Member.objects.filter(job_id=job_id, name=member)
    return rows.values_list("node_id", flat=True).first()

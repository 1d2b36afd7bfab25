"""What a job should be, compared with what is known of it: one look, and what follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.fleet.models import NodeReport
from apps.jobs.domain.placement import Placement, Role, Seat, Shortage, placement_replace
from apps.jobs.domain.protection import VANISHED_AFTER, is_stale
from apps.jobs.domain.states import COMMAND, JOB
from apps.jobs.domain.supervision import (
    Action,
    EndJob,
    EndMember,
    GiveUp,
    MemberFacts,
    Replace,
    Wish,
    supervise,
)
from apps.jobs.errors import NoPlaceForJob
from apps.jobs.models import Command, Job, Member
from apps.jobs.selectors.facts import facts_of
from apps.jobs.selectors.members import members_facts, seats_taken
from apps.jobs.selectors.places import candidates_for
from apps.jobs.services.changes import event_record, job_transition
from apps.jobs.services.commands import command_queue
from apps.jobs.services.placing import job_place, members_start
from apps.jobs.services.progress import progress_put
from apps.jobs.services.rows import REASON_LENGTH_MAX
from apps.jobs.services.stop import stop_withdraw
from hotswap.wire.plane import StopMember


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """What one look came to."""

    # state of the job afterwards; None: there is no such job
    state: str | None
    # what was done, in the words of `domain.supervision`
    actions: tuple[Action, ...] = ()
    # members whose place was not filled, and why
    shortages: tuple[Shortage, ...] = field(default=())


def job_reconcile(*, job_id: UUID, now: datetime) -> Reconciled:
    """Take a job's next steps: place and start it, replace what is lost, notice its end.

    May be called at any time, any number of times, by any number of workers; what one call has
    done, the next one sees.
    """
    with transaction.atomic():
        job = Job.objects.select_for_update(no_key=True).filter(id=job_id).first()
        if job is None:
            return Reconciled(state=None)
        if job.state in JOB.terminal:
            return Reconciled(state=job.state)
        if job.state == "submitted":
            return _start(job, now=now)
        _forget(job, now=now)
        return _look(job, now=now)


def _start(job: Job, *, now: datetime) -> Reconciled:
    """Place a job, if its nodes are there."""
    try:
        plan: Placement = job_place(job=job, now=now)
    except NoPlaceForJob as error:
        # it waits, and says what for
        if job.placement_warnings != [error.detail]:
            job.placement_warnings = [error.detail]
            job.save(update_fields=("placement_warnings",))
            event_record(job=job, kind="job_waiting", text=error.detail, at=now)
        return Reconciled(state=job.state)
    job.placement_warnings = list(plan.warnings)
    job.save(update_fields=("placement_warnings",))
    members_start(job=job, seats=plan.seats, at=now)
    job = job_transition(job_id=job.id, action="place", at=now)
    return Reconciled(state=job.state)


def _look(job: Job, *, now: datetime) -> Reconciled:
    """Compare, and act."""
    members = members_facts(job_id=job.id, now=now)
    actions = supervise(
        wish=_wish(job),
        facts=facts_of(job),
        members=members,
        leader_heard=not is_stale(reported_at=job.reported_at, now=now),
        now=now,
    )
    if job.stop_requested_at is not None and not actions:
        if _has_stopped(job, members):
            actions = (EndJob(action="stop", reason=job.stop_reason),)
        elif job.attached:
            stop_withdraw(job=job, at=now)
    if not actions and _has_vanished(job, now=now):
        actions = (EndJob(action="fail", reason="its agent does not find it any more"),)
    shortages = []
    for action in actions:
        match action:
            case EndJob():
                job = job_transition(
                    job_id=job.id, action=action.action, at=now, reason=action.reason
                )
            case GiveUp():
                _give_up(job, action, now=now)
            case EndMember():
                _end_member(job, action, now=now)
            case Replace():
                shortages += _replace(job, action.role, now=now)
    _note_shortages(job, shortages, now=now)
    return Reconciled(state=job.state, actions=actions, shortages=tuple(shortages))


def _wish(job: Job) -> Wish:
    attached = job.attached
    return Wish(
        # `hotswap run` replaces what its job loses
        world_size=0 if attached else job.world_size,
        standbys=0 if attached else job.standbys_wanted,
        coordinators=0 if attached else job.coordinators_wanted,
        started_at=job.started_at or job.created_at,
        stop_at=job.stop_requested_at,
    )


def _has_vanished(job: Job, *, now: datetime) -> bool:
    """Whether an attached job is gone without a word: its launcher was killed."""
    if not job.attached or job.reported_by_id is None or job.reported_at is None:
        return False
    heard = NodeReport.objects.filter(node_id=job.reported_by_id, stale_at__gt=now)
    return now - job.reported_at > VANISHED_AFTER and heard.exists()


def _has_stopped(job: Job, members: Sequence[MemberFacts]) -> bool:
    """Whether every node has ended its members, or can't be asked."""
    orders = Command.objects.filter(job=job, kind="stop_job")
    if job.attached:
        # its leader alone tells of its processes, and is gone with them
        return orders.filter(state="done").exists()
    lives = any(each.state == "running" and each.node_heard for each in members)
    return not lives and not orders.filter(state__in=COMMAND.open_states).exists()


def _forget(job: Job, *, now: datetime) -> None:
    """Once what is known of a job is too old, its protection is unknown, and everybody is told."""
    if job.protection == "unknown" or not is_stale(reported_at=job.reported_at, now=now):
        return
    job.protection = "unknown"
    job.save(update_fields=["protection", *progress_put(job=job, urgent=True, at=now)])


def _give_up(job: Job, action: GiveUp, *, now: datetime) -> None:
    lost = Member.objects.filter(job=job, name=action.member, lost_at=None)
    if lost.update(lost_at=now, lost_reason=action.reason[:REASON_LENGTH_MAX]):
        event_record(
            job=job, kind="member_given_up", member=action.member, text=action.reason, at=now
        )


def _end_member(job: Job, action: EndMember, *, now: datetime) -> None:
    node_id = Member.objects.values_list("node_id", flat=True).get(job=job, name=action.member)
    command_queue(
        tenant_id=job.tenant_id,
        job_id=job.id,
        node_id=node_id,
        kind="stop_member",
        payload=StopMember(member=action.member, reason=action.reason),
        key=f"end:{job.id}:{action.member}",
        at=now,
    )


def _replace(job: Job, role: Role, *, now: datetime) -> list[Shortage]:
    """Start a new member, if there is a place for it."""
    taken = seats_taken(job_id=job.id)
    # names are never used twice: those of a role are numbered from 0
    prefix = role.value
    number = Member.objects.filter(job=job, name__startswith=f"{prefix}-").count()
    found = placement_replace(
        role=role,
        member=f"{prefix}-{number}",
        seats=taken,
        candidates=candidates_for(job=job, now=now),
    )
    if isinstance(found, Shortage):
        return [found]
    assert isinstance(found, Seat)
    members_start(job=job, seats=[found], taken=taken, at=now)
    text = f"on {found.node_name}, in place of one that was lost"
    event_record(job=job, kind="member_wanted", member=found.member, text=text, at=now)
    return []


def _note_shortages(job: Job, shortages: Sequence[Shortage], *, now: datetime) -> None:
    """Show what is missing, once; nothing once nothing is."""
    texts = sorted({str(each) for each in shortages})
    former = [text for text in job.placement_warnings if "places for a" in text]
    if texts == former or job.state in JOB.terminal:
        return
    others = [text for text in job.placement_warnings if text not in former]
    job.placement_warnings = [*others, *texts]
    job.save(update_fields=("placement_warnings",))
    for text in texts:
        event_record(job=job, kind="job_waiting", text=text, at=now)

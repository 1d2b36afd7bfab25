"""Changes of a job's state: one guarded update, with its event, audit entry and announcement."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from apps.audit.services import audit_record
from apps.core import outbox
from apps.core.access import SYSTEM, Actor
from apps.jobs.domain.states import JOB
from apps.jobs.errors import JobUnknown
from apps.jobs.models import Job, JobEvent
from apps.jobs.services.rows import REASON_LENGTH_MAX


def job_transition(
    *, job_id: UUID, action: str, at: datetime, actor: Actor = SYSTEM, reason: str = ""
) -> Job:
    """Do ``action`` of `states.JOB` with a job, in the caller's transaction.

    Raises:
        JobUnknown: there is no such job.
        TransitionRefused: its state has no such action.
    """
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    job = Job.objects.select_for_update(no_key=True).filter(id=job_id).first()
    if job is None:
        raise JobUnknown
    former, target = job.state, JOB.target(action, job.state)
    changes: dict[str, Any] = {"state": target}
    if action == "place":
        changes["started_at"] = at
    if target in JOB.terminal:
        changes |= {"ended_at": at, "end_reason": reason or job.end_reason}
    guarded = Job.objects.filter(id=job_id, state__in=JOB.sources(action))
    assert guarded.update(**changes), "the row is locked"
    for name, value in changes.items():
        setattr(job, name, value)
    event_record(job=job, kind=f"job_{target}", text=reason, at=at)
    job_announce(job=job, at=at)
    audit_record(
        at=at,
        actor=actor,
        tenant_id=job.tenant_id,
        action=f"job.{action}",
        subject=f"job:{job.id}",
        detail={"from": former, "to": target, "reason": reason},
    )
    return job


def event_record(*, job: Job, kind: str, at: datetime, text: str = "", member: str = "") -> None:
    """Write an event of the plane's own into a job's history, in the caller's transaction."""
    Job.objects.filter(id=job.id).update(events_count=F("events_count") + 1)
    job.events_count = Job.objects.values_list("events_count", flat=True).get(id=job.id)
    JobEvent.objects.create(
        job=job,
        sequence=job.events_count,
        at=at,
        kind=kind,
        epoch=job.epoch,
        step=job.committed_step,
        member=member,
        text=text[:REASON_LENGTH_MAX],
    )


def job_announce(*, job: Job, at: datetime) -> None:
    """Tell browsers and subscribers that a job's state is another one."""
    payload = {"id": str(job.id), "name": job.name, "state": job.state, "epoch": job.epoch}
    outbox.announce(tenant_id=job.tenant_id, kind="job.changed", payload=payload, at=at)

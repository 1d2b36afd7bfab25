"""A job comes to be: it is asked for, or it is found running."""

from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.audit.services import audit_record
from apps.core import canonical, outbox
from apps.core.access import SYSTEM, Actor
from apps.jobs.domain.states import JOB
from apps.jobs.domain.wishes import JobWish, wish_problems
from apps.jobs.errors import FoundJobGone, JobNameTaken, JobRefused
from apps.jobs.models import FoundJob, Job
from apps.jobs.services.changes import event_record, job_announce
from apps.jobs.services.commands import command_queue
from hotswap.wire.plane import Attach, JobPlace


def job_submit(
    *, tenant_id: UUID, cluster_id: UUID, wish: JobWish, actor: Actor, at: datetime
) -> Job:
    """Write down that a job is wanted; `job_reconcile` finds its nodes and starts it.

    Raises:
        JobRefused: the wish can't be tried; ``fields`` says why.
        JobNameTaken: an open job has the name.
    """
    problems = wish_problems(wish)
    if problems:
        raise JobRefused(fields=problems)
    with transaction.atomic():
        job = _create(
            {
                "tenant_id": tenant_id,
                "cluster_id": cluster_id,
                "name": wish.name,
                "world_size": wish.ranks,
                "standbys_wanted": wish.standbys,
                "coordinators_wanted": wish.coordinators,
                "script": wish.script,
                "arguments": list(wish.arguments),
                "environment": dict(wish.environment),
                "checkpoint_every_steps": wish.checkpoint_every_steps,
                "seed": wish.seed,
                "directory": wish.directory,
                "digest": canonical.digest(asdict(wish)),
                "submitted_by": actor.as_json(),
                "created_at": at,
            }
        )
        _begin(job, action="job.submit", actor=actor, at=at)
    return job


def job_attach(*, found_id: UUID, actor: Actor = SYSTEM, at: datetime) -> Job:
    """Follow a job that `hotswap run` started: its agent is told to report it.

    The launcher keeps the number of its processes itself; the plane can swap ranks and stop it.

    Raises:
        FoundJobGone: no agent reports it any more.
        JobNameTaken: an open job has the name.
    """
    with transaction.atomic():
        found = FoundJob.objects.select_related("node").filter(id=found_id).first()
        if found is None or found.node.agent_id is None:
            raise FoundJobGone
        wanted = found.world_size or 1
        job = _create(
            {
                "tenant_id": found.node.tenant_id,
                "cluster_id": found.node.cluster_id,
                "name": found.name,
                "state": "running",
                "attached": True,
                "world_size": wanted,
                "standbys_wanted": found.standbys or 0,
                "script": found.script or found.name,
                "directory": found.directory,
                "digest": canonical.digest({"attached": found.name, "node": str(found.node_id)}),
                "submitted_by": actor.as_json(),
                "created_at": at,
                "started_at": at,
            }
        )
        command_queue(
            tenant_id=job.tenant_id,
            job_id=job.id,
            node_id=found.node_id,
            kind="attach",
            payload=Attach(place=JobPlace(name=found.name, directory=found.directory)),
            key=f"attach:{job.id}",
            at=at,
        )
        found.delete()
        _begin(job, action="job.attach", actor=actor, at=at)
    return job


def _create(values: dict[str, Any]) -> Job:
    try:
        with transaction.atomic():
            return Job.objects.create(**values)
    except IntegrityError as error:
        taken = Job.objects.filter(
            tenant_id=values["tenant_id"],
            cluster_id=values["cluster_id"],
            name=values["name"],
            state__in=JOB.open_states,
        )
        if not taken.exists():
            raise
        raise JobNameTaken(f"{values['name']} runs already: choose another name.") from error


def _begin(job: Job, *, action: str, actor: Actor, at: datetime) -> None:
    """Write down that a job has come to be, and have it looked at."""
    event_record(job=job, kind=f"job_{job.state}", text=f"by {actor.name}", at=at)
    job_announce(job=job, at=at)
    outbox.put(
        topic="wake",
        tenant_id=job.tenant_id,
        kind="job_reconcile",
        payload={"job_id": str(job.id)},
        at=at,
    )
    audit_record(
        at=at,
        actor=actor,
        tenant_id=job.tenant_id,
        action=action,
        subject=f"job:{job.id}",
        detail={"name": job.name, "ranks": job.world_size, "digest": job.digest},
    )

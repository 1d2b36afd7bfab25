"""A job is stopped on request."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from apps.audit.services import audit_record
from apps.core.access import Actor
from apps.fleet.models import NodeReport
from apps.jobs.domain.states import JOB
from apps.jobs.errors import JobOutOfReach, JobOver, JobUnknown
from apps.jobs.models import Command, Job, Member
from apps.jobs.services.changes import event_record, job_transition
from apps.jobs.services.commands import Order, commands_drop, commands_queue
from apps.jobs.services.rows import REASON_LENGTH_MAX
from hotswap.wire.plane import StopJob

#: Processes are asked to end, and killed after this, s.
GRACE_S: Final = 10.0
#: A node that has not answered by then is left behind.
STOP_WITHIN: Final = timedelta(minutes=2)


def job_stop(*, job_id: UUID, reason: str, actor: Actor, at: datetime) -> Job:
    """Have every process of a job ended; asking again changes nothing.

    The job counts as stopped once its nodes have said so (`job_reconcile`). The agent of an
    attached job asks `hotswap run` to end it; if that fails, the stop is taken back.

    Raises:
        JobUnknown: there is no such job.
        JobOver: it has ended already.
        JobOutOfReach: `hotswap run` keeps its processes, and the agent there is not heard of.
    """
    reason = reason[:REASON_LENGTH_MAX]
    with transaction.atomic():
        job = Job.objects.select_for_update(no_key=True).filter(id=job_id).first()
        if job is None:
            raise JobUnknown
        if job.state in JOB.terminal:
            raise JobOver(f"{job.name} is {job.state} since {job.ended_at}.")
        if job.stop_requested_at is not None:
            return job
        if job.attached:
            _check_reach(job, at=at)
        job.stop_requested_at, job.stop_reason = at, reason
        job.save(update_fields=("stop_requested_at", "stop_reason"))
        commands_drop(job_id=job.id, reason="the job is being stopped", at=at)
        event_record(job=job, kind="job_stop_requested", text=f"{actor.name}: {reason}", at=at)
        nodes = stop_orders_queue(job=job, at=at)
        audit_record(
            at=at,
            actor=actor,
            tenant_id=job.tenant_id,
            action="job.stop_request",
            subject=f"job:{job.id}",
            detail={"reason": reason, "nodes": nodes},
        )
        if not nodes:
            job = job_transition(
                job_id=job.id, action="stop", at=at, actor=actor, reason="before it was started"
            )
    return job


def stop_orders_queue(*, job: Job, at: datetime) -> int:
    """Tell each node with members of a job to end them, once; return how many nodes that are."""
    living = Member.objects.filter(job=job, state__in=("wanted", "running", "gone"))
    # of an attached job one agent is asked: it knows the launcher, whoever trains
    places = Command.objects.filter(job=job, kind="attach") if job.attached else living
    nodes = sorted(set(places.values_list("node_id", flat=True)))
    orders = [
        Order(
            node_id=node,
            kind="stop_job",
            payload=StopJob(grace_s=GRACE_S, reason=job.stop_reason),
            key=f"stop:{job.id}:{node}:{job.stop_requested_at}",
            within=STOP_WITHIN,
        )
        for node in nodes
    ]
    if orders:
        commands_queue(tenant_id=job.tenant_id, job_id=job.id, orders=orders, at=at)
    return len(orders)


def stop_withdraw(*, job: Job, at: datetime) -> None:
    """Take the stop of an attached job back if its agent could not do it; say why, once."""
    order = Command.objects.filter(job=job, kind="stop_job").order_by("-id").first()
    if order is None or order.state not in {"refused", "failed", "expired"}:
        return
    job.stop_requested_at, job.stop_reason = None, ""
    job.save(update_fields=("stop_requested_at", "stop_reason"))
    text = f"{order.state}: {order.detail}"
    event_record(job=job, kind="job_stop_refused", text=text, at=at)


def _check_reach(job: Job, *, at: datetime) -> None:
    """See that the agent is heard that follows an attached job.

    Raises:
        JobOutOfReach: it is not.
    """
    heard = NodeReport.objects.filter(
        node__in=Command.objects.filter(job=job, kind="attach").values("node_id"), stale_at__gt=at
    )
    if not heard.exists():
        raise JobOutOfReach(
            f"{job.name} belongs to `hotswap run`, and the agent of its node is not heard of: "
            "stop it in the terminal where it runs."
        )

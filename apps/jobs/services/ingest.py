"""What agents tell about jobs becomes rows. The same report may come any number of times."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.jobs.domain import folding
from apps.jobs.domain.facts import JobFacts
from apps.jobs.domain.states import JOB
from apps.jobs.models import Job, JobStream, LossPoint, Member
from apps.jobs.selectors.facts import facts_of
from apps.jobs.services import history
from apps.jobs.services.changes import job_transition
from apps.jobs.services.members import members_adopt
from apps.jobs.services.progress import progress_put
from apps.jobs.services.rows import REASON_LENGTH_MAX, facts_write
from hotswap.wire.plane import JobReport, NoticeReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What a report came to."""

    job_id: UUID
    # something other than steps was new: whoever drives swaps and members looks now
    notable: bool
    # steps were: whoever waits for them looks now
    stepped: bool


def job_ingest(
    *, tenant_id: UUID, node_id: UUID, report: JobReport, at: datetime
) -> Ingested | None:
    """Take in what an agent tells about a job; None when the tenant has no such job.

    Idempotent by (job, stream, offset), losses also by (job, epoch, step), certificates by swap.
    Notices that come after later ones are kept as history, and change nothing else.

    Raises:
        ValueError: an instant in it is none.
    """
    job_id = _uuid(report.job)
    if job_id is None:
        return None
    with transaction.atomic():
        job = (
            Job.objects.select_for_update(no_key=True)
            .filter(id=job_id, tenant_id=tenant_id)
            .first()
        )
        if job is None:
            return None
        fresh = _advance(job, report)
        former = facts_of(job)
        facts, handovers = folding.fold_told(former, notices=fresh, status=report.status)
        _losses(job, report.notices)
        events = history.events_write(
            job=job, stream=report.stream, events=folding.events(report.notices)
        )
        if job.attached:
            members_adopt(job=job, facts=facts, node_id=node_id, at=at)
        history.owners_write(job=job, handovers=handovers)
        history.mirrors_write(job=job, former=former, facts=facts)
        _lost(job, fresh)
        certified = history.certificates_write(job=job, certificates=report.certificates, at=at)
        notable = bool(events or handovers or certified)
        _save(job, former, facts, report, node_id=node_id, heard=bool(fresh), at=at)
        stepped = bool(fresh) or facts.committed != former.committed
    return Ingested(job_id=job.id, notable=notable, stepped=stepped)


def _advance(job: Job, report: JobReport) -> tuple[NoticeReport, ...]:
    """Move on in the report's stream; return the notices that are news."""
    if not report.notices:
        return ()
    stream, _ = JobStream.objects.get_or_create(job=job, stream=report.stream)
    fresh = tuple(each for each in report.notices if each.offset >= stream.offset)
    if fresh:
        stream.offset = max(each.offset for each in fresh) + 1
        stream.save(update_fields=("offset",))
    return fresh


def _losses(job: Job, notices: Sequence[NoticeReport]) -> None:
    points = [
        LossPoint(
            job=job,
            epoch=each.epoch,
            step=each.step,
            loss=each.loss,
            validation_loss=each.validation_loss,
            step_s=each.step_s,
            at=each.at,
        )
        for each in folding.losses(notices)
    ]
    if points:
        LossPoint.objects.bulk_create(points, ignore_conflicts=True)


def _lost(job: Job, notices: Sequence[NoticeReport]) -> None:
    """Note which members the leader has declared lost."""
    for each in notices:
        if each.kind == "member_lost" and each.member:
            Member.objects.filter(job=job, name=each.member, lost_at=None).update(
                lost_at=folding.instant(each.at), lost_reason=each.text[:REASON_LENGTH_MAX]
            )


def _save(
    job: Job,
    former: JobFacts,
    facts: JobFacts,
    report: JobReport,
    *,
    node_id: UUID,
    heard: bool,
    at: datetime,
) -> None:
    """Save what has changed, and tell."""
    protection = job.protection
    changed = facts_write(job, facts)
    if heard or report.status is not None:
        job.reported_at, job.reported_by_id = at, node_id
        changed += ["reported_at", "reported_by"]
    if not changed:
        return
    urgent = job.protection != protection or facts.epoch != former.epoch
    changed += progress_put(job=job, urgent=urgent, at=at)
    job.save(update_fields=changed)
    if facts.epoch is not None and job.state in JOB.sources("run"):
        job_transition(job_id=job.id, action="run", at=at)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None

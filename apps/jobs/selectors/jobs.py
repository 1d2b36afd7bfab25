"""Jobs as they are now: what was not heard of lately is not known."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import BooleanField, Case, CharField, F, Q, QuerySet, Value, When

from apps.jobs.domain.facts import UNKNOWN
from apps.jobs.domain.protection import STALE_AFTER
from apps.jobs.domain.states import JOB
from apps.jobs.errors import JobUnknown
from apps.jobs.models import Job


def jobs_at(*, now: datetime) -> QuerySet[Job]:
    """Return all jobs with their protection as it is now.

    Adds ``protection_now`` and ``is_stale`` (it runs, and was not heard of lately), as
    `domain.protection` has it; brings the cluster along.
    """
    fresh = Q(reported_at__gte=now - STALE_AFTER)
    runs = Q(state="running")
    return Job.objects.select_related("cluster").annotate(
        protection_now=Case(
            When(runs & fresh, then=F("protection")),
            default=Value(UNKNOWN),
            output_field=CharField(),
        ),
        is_stale=Case(
            When(runs & ~fresh, then=Value(value=True)),
            When(runs & Q(reported_at=None), then=Value(value=True)),
            default=Value(value=False),
            output_field=BooleanField(),
        ),
    )


def job_get(*, job_id: UUID, tenants: Collection[UUID], now: datetime) -> Job:
    """Return one job as `jobs_at` does.

    Raises:
        JobUnknown: there is none in the tenants.
    """
    job = jobs_at(now=now).filter(id=job_id, tenant_id__in=tenants).first()
    if job is None:
        raise JobUnknown
    return job


def jobs_open(*, tenants: Collection[UUID], now: datetime) -> QuerySet[Job]:
    """Return the jobs of some tenants that have not ended, as `jobs_at` does; the newest first."""
    rows = jobs_at(now=now).filter(tenant_id__in=tenants, state__in=JOB.open_states)
    return rows.order_by("-id")


def job_ids_open() -> list[UUID]:
    """Return every job that has not ended: the reconciler looks at each; one query."""
    return list(Job.objects.filter(state__in=JOB.open_states).values_list("id", flat=True))

"""Following what a job tells: takeovers first, then every swap of it that is open."""

from datetime import datetime
from uuid import UUID

from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from apps.jobs.models import JobEvent
from apps.swaps.domain import limits
from apps.swaps.models import JobCursor, Swap
from apps.swaps.models.swaps import OPEN_STATES
from apps.swaps.services.driving import swap_advance
from apps.swaps.services.takeovers import KINDS, takeovers_record


def job_follow(*, job_id: UUID, now: datetime) -> None:
    """Take in what a job has told, and take the steps that its open swaps can take."""
    takeovers_record(job_id=job_id, now=now)
    open_swaps = Swap.objects.filter(job_id=job_id, state__in=OPEN_STATES)
    for swap_id in list(open_swaps.values_list("id", flat=True)[: limits.SWAPS_PER_RUN_MAX]):
        swap_advance(swap_id=swap_id, now=now)


def jobs_behind() -> list[UUID]:
    """Return the jobs that have told of lost owners which nobody has taken in yet; one query."""
    cursor = JobCursor.objects.filter(job_id=OuterRef("job_id")).values("sequence")[:1]
    behind = JobEvent.objects.filter(kind__in=KINDS, rank__isnull=False).annotate(
        seen=Coalesce(Subquery(cursor), 0)
    )
    rows = behind.filter(sequence__gt=F("seen")).values_list("job_id", flat=True).distinct()
    return list(rows[: limits.SWAPS_PER_RUN_MAX])

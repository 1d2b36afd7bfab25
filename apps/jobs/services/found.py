"""Jobs that agents have found on their nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.jobs.errors import JobNameTaken
from apps.jobs.models import FoundJob
from apps.jobs.services.submit import job_attach
from hotswap.wire.plane import AttachableJob


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFound:
    """Every job on a node that could be attached."""

    node_id: UUID
    jobs: Sequence[AttachableJob]


def found_ingest(*, reports: Sequence[NodeFound], at: datetime) -> frozenset[UUID]:
    """Take in which jobs could be attached; attach those whose starter asked for it.

    Returns:
        The jobs that were attached.
    """
    if not reports:
        return frozenset()
    told = {(each.node_id, job.name): job for each in reports for job in each.jobs}
    with transaction.atomic():
        known = {
            (row.node_id, row.name): row
            for row in FoundJob.objects.filter(node_id__in=[each.node_id for each in reports])
        }
        gone = [row.id for key, row in known.items() if key not in told]
        if gone:
            FoundJob.objects.filter(id__in=gone).delete()
        new = [_row(node_id, job, at) for (node_id, _), job in told.items()
               if (node_id, job.name) not in known]  # fmt: skip
        FoundJob.objects.bulk_create(new, ignore_conflicts=True)
        if known:
            FoundJob.objects.filter(
                id__in=[row.id for key, row in known.items() if key in told]
            ).update(seen_at=at)
    return frozenset(
        attached for row in new if row.wanted and (attached := _attach(row, at)) is not None
    )


def _attach(row: FoundJob, at: datetime) -> UUID | None:
    try:
        return job_attach(found_id=row.id, at=at).id
    except JobNameTaken:
        # it waits among the found ones until somebody decides
        return None


def _row(node_id: UUID, job: AttachableJob, at: datetime) -> FoundJob:
    return FoundJob(
        node_id=node_id,
        name=job.name,
        directory=job.directory,
        world_size=job.world_size,
        standbys=job.standbys,
        script=job.script or "",
        started_unix_s=job.started_unix_s,
        wanted=job.wanted,
        seen_at=at,
        created_at=at,
    )

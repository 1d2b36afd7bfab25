"""Supervision of jobs as tasks: each calls one function, and is safe to run twice."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import structlog
from django.db import DatabaseError

from apps.core import clock
from apps.jobs.selectors.jobs import job_ids_open
from apps.jobs.services import commands_expire, job_reconcile
from workers.base import task

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

_log = structlog.get_logger()


@task("job_reconcile")
def job_reconcile_now(*, job_id: str, **_future: object) -> None:
    """Take the steps that a job can take; sent by whoever has told or wanted something."""
    job_reconcile(job_id=UUID(job_id), now=clock.now())


@task("jobs_reconcile")
def jobs_reconcile(**_future: object) -> None:
    """Look at everything."""
    look(now=clock.now)


def look(*, now: Callable[[], datetime]) -> None:
    """Expire commands that nobody answers, and look at every job that has not ended."""
    commands_expire(now=now())
    for job_id in job_ids_open():
        try:
            job_reconcile(job_id=job_id, now=now())
        except DatabaseError:
            # one that can't be looked at now must not hold up the others: the next look is soon
            _log.exception("job.not_reconciled", job=str(job_id))

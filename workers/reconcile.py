"""Looks at everything that is due, by the database alone: no message is needed, and none missed."""

from __future__ import annotations

import structlog
from django.db import DatabaseError

from apps.approvals.services import approvals_expire
from apps.core import clock
from apps.swaps.services.driving import swap_advance, swaps_due
from apps.swaps.services.following import job_follow, jobs_behind
from workers.base import task

_log = structlog.get_logger()


@task("swaps_reconcile")
def swaps_reconcile(**_future: object) -> None:
    """Expire what nobody decided, take in what jobs have told, and drive every swap that is due."""
    approvals_expire(now=clock.now())
    for job_id in jobs_behind():
        job_follow(job_id=job_id, now=clock.now())
    for swap_id in swaps_due(now=clock.now()):
        try:
            swap_advance(swap_id=swap_id, now=clock.now())
        except DatabaseError:
            # one that can't be driven now must not hold up the others: it stays due
            _log.exception("swap.not_driven", swap=str(swap_id))

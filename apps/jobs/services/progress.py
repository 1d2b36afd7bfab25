"""What browsers are told of a job's progress: a few times a second at most.

Nothing is left out: the next delta carries every step since the last that was sent.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Q

from apps.core import outbox
from apps.jobs.models import Job, LossPoint

#: Shortest time between two deltas of one job, unless something but its steps has changed.
PROGRESS_EVERY: Final = timedelta(milliseconds=400)
#: Steps that one delta carries; whoever needs more fetches them.
POINTS_MAX: Final = 50


def progress_put(*, job: Job, urgent: bool, at: datetime) -> list[str]:
    """Announce a job's progress if it is time; return the fields of ``job`` to be saved.

    Args:
        job: locked, with its newest figures.
        urgent: something has changed that must not wait: epoch, owner or protection.
        at: now.
    """
    early = job.progress_sent_at is not None and at - job.progress_sent_at < PROGRESS_EVERY
    if early and not urgent:
        return []
    points = _points(job)
    payload: dict[str, Any] = {
        "id": str(job.id),
        "epoch": job.epoch,
        "step": None if job.committed_step is None else max(job.committed_step - 1, 0),
        "loss": job.loss,
        "validation_loss": job.validation_loss,
        "step_s": job.step_time_s,
        "protection": job.protection,
        "committed_step": job.committed_step,
        # steps since the delta before; `complete` is false where there were too many
        "points": points[-POINTS_MAX:],
        "complete": len(points) <= POINTS_MAX,
    }
    outbox.put(topic="live", tenant_id=job.tenant_id, kind="job.progress", payload=payload, at=at)
    job.progress_sent_at = at
    if points:
        job.progress_sent_epoch, job.progress_sent_step = points[-1]["epoch"], points[-1]["step"]
    return ["progress_sent_at", "progress_sent_epoch", "progress_sent_step"]


def _points(job: Job) -> list[dict[str, Any]]:
    """Return the steps that were not sent yet, one more than fits at most."""
    later = Q(epoch__gt=job.progress_sent_epoch) | Q(
        epoch=job.progress_sent_epoch, step__gt=job.progress_sent_step
    )
    newest = LossPoint.objects.filter(later, job=job).order_by("-epoch", "-step")
    names = ("epoch", "step", "loss", "validation_loss", "step_s")
    return [dict(each) for each in newest.values(*names)[: POINTS_MAX + 1]][::-1]

"""What a job's leader is known to have said, from its row."""

from typing import Any

from apps.jobs.domain.facts import JobFacts, RankFacts
from apps.jobs.models import Job


def facts_of(job: Job) -> JobFacts:
    """Return what a job's leader is known to have said."""
    over = job.phase if job.phase in ("finished", "failed") else None
    return JobFacts(
        world_size=job.world_size,
        token=job.token,
        leader=job.leader or None,
        phase=job.phase or None,
        epoch=job.epoch,
        committed=job.committed_step,
        loss=job.loss,
        validation_loss=job.validation_loss,
        step_s=job.step_time_s,
        samples_per_s=job.samples_per_s,
        typical_step_s=job.typical_step_s,
        productive_s=job.productive_s,
        first_commit_at=job.first_commit_at,
        last_commit_at=job.last_commit_at,
        ended=over,
        ended_reason=job.end_reason,
        standbys=tuple(job.standbys),
        ranks={each["rank"]: _rank(each) for each in job.ranks},
    )


def _rank(entry: dict[str, Any]) -> RankFacts:
    return RankFacts(
        owner=entry["owner"],
        owner_since_epoch=entry["since"],
        protection=entry["protection"],
        mirrors=tuple(entry["mirrors"]),
        lag_steps=entry["lag_steps"],
    )

"""Facts become columns."""

from typing import Any, Final

from apps.jobs.domain.facts import JobFacts, RankFacts
from apps.jobs.domain.protection import protection_of
from apps.jobs.models import Job

#: Longest reason that a row holds, characters.
REASON_LENGTH_MAX: Final = 500


def facts_write(job: Job, facts: JobFacts) -> list[str]:
    """Put facts into a row that is not saved here; return the fields that have changed."""
    ranks = [facts.rank(rank) for rank in range(facts.world_size)]
    values: dict[str, Any] = {
        "token": facts.token,
        "leader": (facts.leader or "")[:200],
        "phase": facts.ended or facts.phase or "",
        "epoch": facts.epoch,
        "committed_step": facts.committed,
        "protection": protection_of(
            world_size=facts.world_size, ranks=[each.protection for each in ranks]
        ),
        "loss": facts.loss,
        "validation_loss": facts.validation_loss,
        "step_time_s": facts.step_s,
        "samples_per_s": facts.samples_per_s,
        "goodput": facts.goodput,
        "typical_step_s": facts.typical_step_s,
        "productive_s": facts.productive_s,
        "first_commit_at": facts.first_commit_at,
        "last_commit_at": facts.last_commit_at,
        "end_reason": facts.ended_reason or job.end_reason,
        "standbys": list(facts.standbys),
        "ranks": [
            _entry(rank, facts.rank(rank))
            for rank in range(facts.world_size)
            if rank in facts.ranks
        ],
    }
    changed = [name for name, value in values.items() if getattr(job, name) != value]
    for name in changed:
        setattr(job, name, values[name])
    return changed


def _entry(rank: int, facts: RankFacts) -> dict[str, Any]:
    return {
        "rank": rank,
        "owner": facts.owner,
        "since": facts.owner_since_epoch,
        "protection": facts.protection,
        "mirrors": list(facts.mirrors),
        "lag_steps": facts.lag_steps,
    }

"""What has to be done from time to time, whatever happens."""

from __future__ import annotations

from apps.core import clock
from apps.core.pruning import idempotency_keys_prune
from apps.fleet.services.upkeep import grades_expire, samples_prune
from workers.base import task


@task("fleet_upkeep")
def fleet_upkeep(**_future: object) -> None:
    """Let grades that nothing speaks for any more become unknown."""
    grades_expire(at=clock.now())


@task("fleet_prune")
def fleet_prune(**_future: object) -> None:
    """Delete samples that no chart shows any more."""
    samples_prune(at=clock.now())


@task("keys_prune")
def keys_prune(**_future: object) -> None:
    """Delete the answers that no program asks for again."""
    idempotency_keys_prune(now=clock.now())

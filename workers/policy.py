"""The policy as a task: nodes that are getting worse have their ranks' swaps proposed."""

from __future__ import annotations

from apps.core import clock
from apps.swaps.services.driving import swap_advance
from apps.swaps.services.policy import policy_propose
from workers.base import task


@task("policy_evaluate")
def policy_evaluate(**_future: object) -> None:
    """Propose what the policy wants; it is planned, and asked for, at once."""
    for swap_id in policy_propose(now=clock.now()):
        swap_advance(swap_id=swap_id, now=clock.now())

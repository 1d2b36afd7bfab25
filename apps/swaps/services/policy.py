"""The policy of this version: a rank on a node of high or critical risk is to be moved off it.

It proposes and decides nothing: a person approves. Published as `POLICY`; what grades a node is the
fleet's rule.
"""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from apps.core.access import Actor, ActorKind
from apps.core.errors import PlaneError
from apps.fleet.selectors.nodes import node_explain, nodes_at
from apps.jobs.models import RankOwner
from apps.swaps.models import Swap
from apps.swaps.models.swaps import OPEN_STATES
from apps.swaps.selectors.places import node_now
from apps.swaps.services.proposing import Proposal, swap_propose

#: Who proposes on behalf of the policy.
POLICY: Final = Actor(kind=ActorKind.SYSTEM, id="", name="policy 1")
#: Grades that make it propose.
GRADES: Final = ("high", "critical")
#: After a swap of a rank has ended otherwise than well, the policy leaves the rank alone for so
#: long: a person has said no, or something has to be mended first.
COOL_DOWN: Final = timedelta(minutes=10)
#: Proposals of one run.
PROPOSALS_PER_RUN_MAX: Final = 20


def policy_propose(*, now: datetime) -> list[UUID]:
    """Propose a swap for each rank on a node that is getting worse, unless one is open.

    Returns the swaps that it has proposed. Brake, holds and limits apply as to anybody.
    """
    proposed: list[UUID] = []
    for owner in _owners(now)[:PROPOSALS_PER_RUN_MAX]:
        node = node_now(node_id=owner.node_id, now=now)
        assert node is not None, "the owner's node is there"
        verdict = node_explain(node=node, now=now)
        reason = f"{node.name} is at {verdict.grade.value} risk: {verdict.reason}."
        proposal = Proposal(job_id=owner.job_id, rank=owner.rank, reason=reason)
        # somebody was quicker, or the brake is on: the next run sees
        with suppress(PlaneError):
            proposed.append(swap_propose(proposal=proposal, actor=POLICY, now=now).id)
    return proposed


def _owners(now: datetime) -> list[RankOwner]:
    """Return the owners on bad nodes for whose ranks nothing is under way; one query."""
    same = Swap.objects.filter(job_id=OuterRef("job_id"), rank=OuterRef("rank"))
    bad = nodes_at(now=now).filter(Q(grade_now__in=GRADES))
    rows = RankOwner.objects.filter(
        epoch_to=None, job__state="running", node_id__in=bad.values("id")
    )
    rows = rows.exclude(Exists(same.filter(state__in=OPEN_STATES)))
    rows = rows.exclude(Exists(same.filter(kind="planned", ended_at__gt=now - COOL_DOWN)))
    return list(rows.order_by("job_id", "rank"))

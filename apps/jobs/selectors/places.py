"""Which nodes could carry members of a job, and which cannot, and why."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.fleet.models import Node
from apps.fleet.selectors.nodes import nodes_at
from apps.fleet.selectors.places import domain_ids_by_node, domains_by_id
from apps.jobs.domain.placement import Candidate, Role
from apps.jobs.models import Job, Member

#: Trainers that a node without accelerators takes.
TRAINERS_WITHOUT_ACCELERATORS: Final = 2
#: Grades with which nothing new is started on a node.
GRADES_BARRED: Final = frozenset({"high", "critical"})


def candidates_for(
    *, job: Job, now: datetime, avoid: Collection[UUID] = ()
) -> tuple[Candidate, ...]:
    """Return every node of the job's tenant and cluster; four queries.

    ``avoid`` names nodes on which nothing new of this job is to be started.
    """
    nodes = list(
        nodes_at(now=now)
        .filter(tenant_id=job.tenant_id, cluster_id=job.cluster_id)
        .exclude(state="retired")
    )
    taken = _trainers(node_ids=[node.id for node in nodes])
    domains = domain_ids_by_node(
        node_ids=[node.id for node in nodes], domains=domains_by_id(cluster_ids=[job.cluster_id])
    )
    return tuple(
        Candidate(
            node=node.id,
            name=node.name,
            domains=frozenset(str(each) for each in domains[node.id]),
            free=_places(node) - taken[node.id],
            is_spare=node.is_spare,
            barred="to be avoided" if node.id in avoid else _barred(node, job),
        )
        for node in nodes
    )


def _places(node: Node) -> int:
    accelerators = node.node_class.accelerators
    return accelerators or TRAINERS_WITHOUT_ACCELERATORS


def _barred(node: Node, job: Job) -> str:
    """Return why nothing may be started on a node; empty: it may."""
    if node.state != "active":
        return node.state
    grade = getattr(node, "grade_now", "unknown")
    if grade in GRADES_BARRED:
        return f"grade {grade}"
    if node.agent_id is None:
        return "no agent has enrolled"
    if getattr(node, "report", None) is None or getattr(node, "is_stale", True):
        return "its agent is not heard of"
    if node.reserved_for and node.reserved_for != f"job:{job.id}":
        return f"reserved for {node.reserved_for}"
    return ""


def _trainers(*, node_ids: Collection[UUID]) -> Counter[UUID]:
    """Count the trainers on nodes, of every job."""
    rows = Member.objects.filter(
        node_id__in=node_ids,
        state__in=("wanted", "running"),
        lost_at=None,
        job__ended_at=None,
    ).exclude(role=Role.COORDINATOR.value)
    return Counter(rows.values_list("node_id", flat=True))

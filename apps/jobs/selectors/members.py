"""Members of a job, as supervision sees them, and who speaks for the job."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Subquery

from apps.fleet.models import Node
from apps.fleet.selectors.occupancy import HeldRank
from apps.jobs.domain.placement import Role, Seat
from apps.jobs.domain.states import JOB
from apps.jobs.domain.supervision import MemberFacts
from apps.jobs.models import Job, Member, RankOwner


def members_facts(*, job_id: UUID, now: datetime) -> list[MemberFacts]:
    """Return every member that the job has or had; one query."""
    rows = Member.objects.filter(job_id=job_id).select_related("command", "node__report")
    return [
        MemberFacts(
            name=row.name,
            role=Role(row.role),
            node=row.node_id,
            state=row.state,
            exit_status=row.exit_status,
            wanted_at=row.created_at,
            since=row.since,
            lost_at=row.lost_at,
            command=None if row.command is None else row.command.state,
            node_heard=_heard(row.node, now),
        )
        for row in rows
    ]


def seats_taken(*, job_id: UUID) -> list[Seat]:
    """Return where the members that count sit, owners of ranks as ranks; two queries."""
    owned = dict(
        RankOwner.objects.filter(job_id=job_id, epoch_to=None).values_list("member", "rank")
    )
    rows = Member.objects.filter(
        job_id=job_id, state__in=("wanted", "running"), lost_at=None
    ).select_related("node")
    return [
        Seat(
            member=row.name,
            role=Role.RANK if row.name in owned else Role(row.role),
            node=row.node_id,
            node_name=row.node.name,
            rank=owned.get(row.name, row.rank),
        )
        for row in rows
    ]


def job_agent_node(*, job: Job) -> UUID | None:
    """Return the node whose agent can reach the job's leader: commands about swaps go there.

    That is the node of the leader itself; where that is not known, whoever reported the job last,
    and before the first report the node of any coordinator.
    """
    coordinators = Member.objects.filter(
        job=job, role=Role.COORDINATOR.value, state__in=("wanted", "running"), lost_at=None
    )
    by_name = dict(coordinators.order_by("-name").values_list("name", "node_id"))
    if job.leader in by_name:
        return by_name[job.leader]
    return job.reported_by_id or next(iter(by_name.values()), None)


def ranks_held(*, node_ids: Collection[UUID] | Subquery) -> Mapping[UUID, Sequence[HeldRank]]:
    """Return the ranks and standbys of open jobs on nodes, by node; `FLEET_OCCUPANCY`."""
    held: dict[UUID, list[HeldRank]] = {}
    rows = RankOwner.objects.filter(
        node_id__in=node_ids, epoch_to=None, job__state__in=JOB.open_states
    )
    owners = set()
    for job_id, name, rank, member, node_id in rows.order_by("job__name", "rank").values_list(
        "job_id", "job__name", "rank", "member", "node_id"
    ):
        owners.add((job_id, member))
        assert node_id is not None, "filtered by it"
        held.setdefault(node_id, []).append(HeldRank(job_id=job_id, job_name=name, rank=rank))
    waiting = Member.objects.filter(
        node_id__in=node_ids, state="running", lost_at=None, job__state__in=JOB.open_states
    ).exclude(role=Role.COORDINATOR.value)
    for job_id, name, member, node_id in waiting.order_by("job__name", "name").values_list(
        "job_id", "job__name", "name", "node_id"
    ):
        if (job_id, member) not in owners:
            held.setdefault(node_id, []).append(HeldRank(job_id=job_id, job_name=name, rank=None))
    return held


def _heard(node: Node, now: datetime) -> bool:
    report = getattr(node, "report", None)
    return report is not None and report.stale_at > now

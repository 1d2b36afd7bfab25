"""What agents tell about processes: kept per member, many nodes at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from apps.jobs.domain.facts import JobFacts
from apps.jobs.domain.placement import Role
from apps.jobs.domain.states import MEMBER
from apps.jobs.models import Job, Member, RankOwner
from hotswap.wire.plane import MemberReport

_ACTIONS: Final = {
    "running": "report_running",
    "exited": "report_exited",
    "gone": "report_gone",
}
_FIELDS: Final = ("state", "since", "pid", "exit_status")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeMembers:
    """Every process of one node that runs, and those that ended lately."""

    tenant_id: UUID
    node_id: UUID
    members: Sequence[MemberReport]


def members_ingest(*, reports: Sequence[NodeMembers], at: datetime) -> frozenset[UUID]:
    """Take in what agents tell about their processes; return the jobs in which that is news.

    A process that ran and is not told of any more is gone. Idempotent: what is known already
    changes nothing, and a process that has exited stays so.
    """
    told = _by_key(reports)
    with transaction.atomic():
        known = {(str(row.job_id), row.name): row for row in _known(reports, told)}
        changed = [row for key, row in known.items() if _update(row, told.get(key), at=at)]
        Member.objects.bulk_update(changed, fields=_FIELDS)
        added = _add({key: each for key, each in told.items() if key not in known}, at=at)
    return frozenset(row.job_id for row in (*changed, *added))


def members_adopt(*, job: Job, facts: JobFacts, node_id: UUID, at: datetime) -> None:
    """Write down who trains in an attached job: `hotswap run` has all of it on one node.

    No agent tells of these processes; whom the leader counts on runs, and everybody else is gone.
    """
    known = {row.name: row.state for row in Member.objects.filter(job=job).only("name", "state")}
    owners = {each.owner for each in facts.ranks.values()}
    Member.objects.bulk_create(
        Member(
            job=job,
            name=name,
            node_id=node_id,
            role=(Role.RANK if name in owners else Role.STANDBY).value,
            state="running",
            since=at,
            created_at=at,
        )
        for name in sorted(facts.members - known.keys())
    )
    running = {name for name, state in known.items() if state == "running"}
    gone = Member.objects.filter(job=job, name__in=running - facts.members)
    gone.filter(state__in=MEMBER.sources("report_gone")).update(state="gone", since=at)
    back = Member.objects.filter(job=job, name__in=(known.keys() - running) & facts.members)
    back.filter(state__in=MEMBER.sources("report_running")).update(state="running", since=at)


_Key = tuple[str, str]


def _by_key(reports: Sequence[NodeMembers]) -> dict[_Key, tuple[NodeMembers, MemberReport]]:
    return {
        (member.job, member.name): (report, member)
        for report in reports
        for member in report.members
    }


def _known(
    reports: Sequence[NodeMembers], told: Mapping[_Key, tuple[NodeMembers, MemberReport]]
) -> list[Member]:
    """Return the rows that the reports are about; one query."""
    ours = Q(node_id__in=[report.node_id for report in reports])
    # those of attached jobs are not the agent's own: their leader tells of them
    lives = Q(state__in=("running", "gone", "wanted"), job__attached=False)
    named = Q(name__in={name for _, name in told})
    return list(
        Member.objects.select_for_update(no_key=True).filter(ours & (lives | named)).order_by("id")
    )


def _update(row: Member, told: tuple[NodeMembers, MemberReport] | None, *, at: datetime) -> bool:
    """Change a row that is not saved here; False when it stays as it is."""
    if told is None:
        # not started yet, or already known to be gone
        return row.state == "running" and _move(row, "gone", at=at)
    _, member = told
    if not _move(row, member.state, at=at):
        return False
    row.pid, row.exit_status = member.pid, member.exit_status
    return True


def _move(row: Member, state: str, *, at: datetime) -> bool:
    if row.state not in MEMBER.sources(_ACTIONS[state]):
        return False
    row.state, row.since = state, at
    return True


def _add(told: Mapping[_Key, tuple[NodeMembers, MemberReport]], *, at: datetime) -> list[Member]:
    """Add processes that the plane did not start: those of jobs that it follows."""
    ids = [each for each in {_uuid(job) for job, _ in told} if each is not None]
    jobs = {(str(row.id), row.tenant_id): row for row in Job.objects.filter(id__in=ids)}
    rows = [
        Member(
            job=job,
            name=member.name,
            node_id=report.node_id,
            role=member.role,
            state=member.state,
            since=at,
            created_at=at,
            pid=member.pid,
            exit_status=member.exit_status,
        )
        for report, member in told.values()
        if (job := jobs.get((member.job, report.tenant_id))) is not None
    ]
    # of two nodes that name the same member, the one that came first has it
    Member.objects.bulk_create(rows, ignore_conflicts=True)
    for row in rows:
        RankOwner.objects.filter(job=row.job, member=row.name, node=None).update(node=row.node_id)
    return rows


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None

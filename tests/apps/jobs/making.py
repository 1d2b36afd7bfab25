"""A tenant, its cluster and nodes, jobs on them, and what agents tell, for tests."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from apps.accounts.models import Agent, Tenant
from apps.core.access import Actor, ActorKind, Role
from apps.core.ids import new_id
from apps.fleet.models import Cluster, FailureDomain, Node, NodeClass, NodeReport
from apps.jobs.domain.wishes import JobWish
from apps.jobs.models import Command, Job, Member
from apps.jobs.services import job_reconcile, job_submit
from hotswap.wire.answers import Status
from hotswap.wire.plane import CertificateReport, JobReport, MemberReport, NoticeReport

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def tenant(slug: str = "aurora") -> Tenant:
    found, _ = Tenant.objects.get_or_create(
        slug=slug, defaults={"name": slug.title(), "created_at": NOW}
    )
    return found


def operator(of: Tenant) -> Actor:
    return Actor(
        kind=ActorKind.PERSON,
        id=str(new_id()),
        name="otto",
        roles={of.id: frozenset({Role.OPERATOR})},
    )


def agent(of: Tenant, name: str) -> Agent:
    return Agent.objects.create(
        tenant=of,
        node=name,
        serial=f"{of.slug}{name}",
        fingerprint=f"{of.slug}-{name}",
        certificate_expires_at=NOW + timedelta(days=30),
        created_at=NOW,
    )


def node(
    name: str,
    of: Tenant,
    *,
    rack: str = "r1",
    spare: bool = False,
    grade: str = "low",
    state: str = "active",
    heard: datetime | None = NOW,
    accelerators: int | None = 1,
) -> Node:
    cluster, _ = Cluster.objects.get_or_create(name="alder", defaults={"created_at": NOW})
    kind, _ = NodeClass.objects.get_or_create(
        name=f"class-{accelerators}", defaults={"accelerators": accelerators, "created_at": NOW}
    )
    domain, _ = FailureDomain.objects.get_or_create(
        cluster=cluster, kind="rack", name=rack, defaults={"created_at": NOW}
    )
    made = Node.objects.create(
        tenant=of,
        cluster=cluster,
        name=name,
        node_class=kind,
        rack=domain,
        address=f"{name}.example.org",
        agent=agent(of, name),
        state=state,
        state_at=NOW,
        is_spare=spare,
        grade=grade,
        created_at=NOW,
    )
    made.domains.add(domain)
    if heard is not None:
        hear(made, at=heard)
    return made


def hear(*nodes: Node, at: datetime) -> None:
    """Let nodes have reported."""
    for each in nodes:
        NodeReport.objects.update_or_create(
            node=each,
            defaults={
                "boot": "b1",
                "sequence": 1,
                "at": at,
                "received_at": at,
                "stale_at": at + timedelta(seconds=15),
                "source": "measured",
            },
        )


def fleet(of: Tenant) -> list[Node]:
    """Return four nodes in two racks, and a spare."""
    return [
        node("n1", of, rack="r1"),
        node("n2", of, rack="r1"),
        node("n3", of, rack="r2"),
        node("n4", of, rack="r2"),
        node("n5", of, rack="r2", spare=True),
    ]


def wish(**changes: Any) -> JobWish:
    values = {"name": "gpt", "script": "/srv/gpt.py", "ranks": 2, "standbys": 1}
    return JobWish(**{**values, **changes})


def submitted(of: Tenant, **changes: Any) -> Job:
    cluster = Cluster.objects.get(name="alder")
    return job_submit(
        tenant_id=of.id,
        cluster_id=cluster.id,
        wish=wish(**changes),
        actor=operator(of),
        at=NOW,
    )


def placed(of: Tenant, **changes: Any) -> Job:
    """Return a job whose members have been asked for."""
    job = submitted(of, **changes)
    assert job_reconcile(job_id=job.id, now=NOW).state == "starting"
    return fresh(job)


def fresh(job: Job) -> Job:
    return Job.objects.get(id=job.id)


def told(
    job: Job,
    notices: Sequence[NoticeReport] = (),
    *,
    status: Status | None = None,
    certificates: Iterable[CertificateReport] = (),
    stream: str = "s1",
) -> JobReport:
    numbered = tuple(
        each if each.offset else msgspec.structs.replace(each, offset=number)
        for number, each in enumerate(notices)
    )
    return JobReport(
        job=str(job.id),
        stream=stream,
        offset=max((each.offset for each in numbered), default=-1) + 1,
        notices=numbered,
        status=status,
        certificates=tuple(certificates),
    )


def process(job: Job | UUID, name: str, **changes: Any) -> MemberReport:
    prefix = name.split("-", maxsplit=1)[0]
    role = {"node": "rank"}.get(prefix, prefix)
    identity = str(job.id if isinstance(job, Job) else job)
    values = {"job": identity, "name": name, "role": role, "pid": 100, "state": "running"}
    return MemberReport(**{**values, **changes})


def run_all(job: Job, *, at: datetime = NOW) -> None:
    """Let every member that was asked for run, and its start be done."""
    Member.objects.filter(job=job, state="wanted").update(state="running", since=at, pid=100)
    Command.objects.filter(job=job, kind__startswith="start").update(state="done")

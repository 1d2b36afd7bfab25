"""What agents tell of processes."""

from uuid import UUID

import pytest

from apps.fleet.models import Node
from apps.jobs.models import Job, Member, RankOwner
from apps.jobs.services import NodeMembers, job_ingest, members_ingest
from hotswap.wire.plane import MemberReport
from tests.apps.jobs.domain.told import rank, status
from tests.apps.jobs.making import NOW, fleet, later, placed, process, tenant, told

pytestmark = pytest.mark.django_db


@pytest.fixture(name="job")
def _job() -> Job:
    fleet(tenant())
    return placed(tenant())


def tell(job: Job, node: str, *members: MemberReport, seconds: float = 0.0) -> frozenset[UUID]:
    report = NodeMembers(
        tenant_id=job.tenant_id, node_id=Node.objects.get(name=node).id, members=members
    )
    return members_ingest(reports=[report], at=later(seconds))


def state_of(name: str) -> tuple[str, int | None, int | None]:
    row = Member.objects.get(name=name)
    return row.state, row.pid, row.exit_status


def test_a_process_that_was_asked_for_runs(job: Job) -> None:
    assert tell(job, "n1", process(job, "node-0", pid=7)) == frozenset({job.id})
    assert state_of("node-0") == ("running", 7, None)


def test_what_is_known_already_is_no_news(job: Job) -> None:
    tell(job, "n1", process(job, "node-0"))
    assert tell(job, "n1", process(job, "node-0"), seconds=5) == frozenset()
    assert Member.objects.get(name="node-0").since == NOW


def test_an_exit_is_kept_with_its_status_and_is_final(job: Job) -> None:
    tell(job, "n1", process(job, "node-0"))
    tell(job, "n1", process(job, "node-0", state="exited", exit_status=-9), seconds=1)
    assert state_of("node-0") == ("exited", 100, -9)
    tell(job, "n1", process(job, "node-0"), seconds=2)
    tell(job, "n1", seconds=3)
    assert state_of("node-0") == ("exited", 100, -9)


def test_a_process_that_is_not_told_of_any_more_is_gone_and_may_come_back(job: Job) -> None:
    tell(job, "n1", process(job, "node-0"))
    assert tell(job, "n1", seconds=1) == frozenset({job.id})
    assert state_of("node-0")[0] == "gone"
    tell(job, "n1", process(job, "node-0"), seconds=2)
    assert state_of("node-0")[0] == "running"


def test_a_process_that_has_not_started_yet_is_not_gone(job: Job) -> None:
    assert tell(job, "n1") == frozenset()
    assert state_of("node-0")[0] == "wanted"


def test_a_process_that_the_plane_did_not_start_is_added_to_its_job(job: Job) -> None:
    job_ingest(
        tenant_id=job.tenant_id,
        node_id=Node.objects.get(name="n2").id,
        report=told(job, status=status(rank(0, "node-0"), rank(1, "other-1"))),
        at=NOW,
    )
    tell(job, "n4", process(job, "other-1", role="rank"))
    assert Member.objects.get(name="other-1").node.name == "n4"
    owner = RankOwner.objects.get(rank=1)
    assert owner.node is not None
    assert owner.node.name == "n4"


def test_processes_of_jobs_that_are_not_known_here_are_passed_over(job: Job) -> None:
    other = tenant("borealis")
    report = NodeMembers(
        tenant_id=other.id,
        node_id=Node.objects.get(name="n1").id,
        members=(process(job, "intruder-0", role="rank"), process(UUID(int=1), "x", role="rank")),
    )
    members_ingest(reports=[report], at=NOW)
    assert not Member.objects.filter(name__in=("intruder-0", "x")).exists()


def test_many_nodes_cost_as_many_queries_as_one(
    job: Job, django_assert_num_queries: object
) -> None:
    nodes = {each.name: each.id for each in Node.objects.all()}
    where = dict(Member.objects.values_list("name", "node_id"))
    reports = [
        NodeMembers(
            tenant_id=job.tenant_id,
            node_id=node_id,
            members=[process(job, name) for name, at in where.items() if at == node_id],
        )
        for node_id in nodes.values()
    ]
    with django_assert_num_queries(4):  # type: ignore[operator]  # pytest-django's fixture
        members_ingest(reports=reports, at=NOW)
    with django_assert_num_queries(3):  # type: ignore[operator]  # pytest-django's fixture
        members_ingest(reports=reports, at=NOW)

"""A job is stopped on request, and counts as stopped once its nodes have said so."""

import pytest

from apps.audit.models import AuditEntry
from apps.core.ids import new_id
from apps.fleet.models import Node
from apps.jobs.errors import JobOutOfReach, JobOver, JobUnknown
from apps.jobs.models import Command, Job, JobEvent, Member
from apps.jobs.services import (
    NodeFound,
    commands_answer,
    found_ingest,
    job_ingest,
    job_reconcile,
    job_stop,
)
from hotswap.wire.plane import AttachableJob, CommandResult
from tests.apps.jobs.domain.told import rank, status
from tests.apps.jobs.making import (
    NOW,
    fleet,
    fresh,
    hear,
    later,
    node,
    operator,
    placed,
    run_all,
    submitted,
    tenant,
    told,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(name="job")
def _job() -> Job:
    fleet(tenant())
    job = placed(tenant())
    run_all(job)
    return job


def stop(job: Job) -> Job:
    return job_stop(job_id=job.id, reason="enough", actor=operator(job.tenant), at=later(1))


def test_every_node_with_a_member_is_told_once(job: Job) -> None:
    for _ in range(2):
        stop(job)
    orders = Command.objects.filter(kind="stop_job")
    assert sorted(orders.values_list("node__name", flat=True)) == ["n1", "n2", "n3", "n4", "n5"]
    assert set(orders.values_list("fence", flat=True)) == {2}
    assert fresh(job).stop_requested_at == later(1)
    assert AuditEntry.objects.filter(action="job.stop_request").count() == 1


def test_what_has_not_left_yet_is_dropped() -> None:
    fleet(tenant())
    job = placed(tenant())
    stop(job)
    starts = Command.objects.filter(kind__startswith="start")
    assert set(starts.values_list("state", flat=True)) == {"expired"}


def test_it_is_stopped_once_the_nodes_have_said_so(job: Job) -> None:
    stop(job)
    hear(*Node.objects.all(), at=later(2))
    assert job_reconcile(job_id=job.id, now=later(2)).state == "starting"
    Command.objects.filter(kind="stop_job").update(state="done")
    Member.objects.update(state="exited")
    assert job_reconcile(job_id=job.id, now=later(3)).state == "stopped"
    assert (fresh(job).ended_at, fresh(job).end_reason) == (later(3), "enough")


def test_a_node_that_can_not_be_asked_is_left_behind(job: Job) -> None:
    stop(job)
    Command.objects.filter(kind="stop_job").update(state="expired")
    Member.objects.exclude(node__name="n5").update(state="exited")
    assert job_reconcile(job_id=job.id, now=later(10)).state == "starting"
    assert job_reconcile(job_id=job.id, now=later(100)).state == "stopped"


def test_a_job_that_was_not_started_is_stopped_at_once() -> None:
    fleet(tenant())
    assert stop(submitted(tenant())).state == "stopped"


def test_a_job_that_has_ended_is_not_stopped(job: Job) -> None:
    Job.objects.filter(id=job.id).update(state="finished", ended_at=NOW)
    with pytest.raises(JobOver, match="finished"):
        stop(job)


@pytest.fixture(name="attached")
def _attached() -> Job:
    n1 = node("n1", tenant())
    found = AttachableJob(name="mine", directory="/jobs/mine", world_size=2, wanted=True)
    (job_id,) = found_ingest(reports=[NodeFound(node_id=n1.id, jobs=[found])], at=NOW)
    Command.objects.filter(kind="attach").update(state="done")
    job = Job.objects.get(id=job_id)
    snapshot = told(job, status=status(rank(0, "node-0"), rank(1, "node-1")))
    job_ingest(tenant_id=job.tenant_id, node_id=n1.id, report=snapshot, at=NOW)
    return job


def answer_stop(state: str, detail: str = "") -> None:
    order = Command.objects.filter(kind="stop_job").latest("id")
    result = CommandResult(command=str(order.id), state=state, detail=detail)  # type: ignore[arg-type] # a word of a test
    commands_answer(results={order.node_id: [result]}, at=later(2))


def test_a_job_of_hotswap_run_is_stopped_by_the_agent_that_follows_it(attached: Job) -> None:
    stop(attached)
    order = Command.objects.get(kind="stop_job")
    assert (order.node.name, order.payload["reason"]) == ("n1", "enough")
    assert job_reconcile(job_id=attached.id, now=later(1)).state == "running"
    answer_stop("done")
    assert job_reconcile(job_id=attached.id, now=later(3)).state == "stopped"
    assert fresh(attached).end_reason == "enough"


def test_a_job_of_hotswap_run_that_is_not_heard_from_yet_can_be_stopped() -> None:
    n1 = node("n1", tenant())
    found = AttachableJob(name="mine", directory="/jobs/mine", wanted=True)
    (job_id,) = found_ingest(reports=[NodeFound(node_id=n1.id, jobs=[found])], at=NOW)
    stop(Job.objects.get(id=job_id))
    assert Command.objects.get(kind="stop_job").node == n1


@pytest.mark.parametrize("state", ["refused", "failed", "expired"])
def test_a_stop_that_the_agent_could_not_do_says_so_and_can_be_asked_again(
    attached: Job, state: str
) -> None:
    stop(attached)
    answer_stop(state, "the launcher of mine does not end")
    for _ in range(2):
        assert job_reconcile(job_id=attached.id, now=later(3)).state == "running"
    assert fresh(attached).stop_requested_at is None
    event = JobEvent.objects.get(job=attached, kind="job_stop_refused")
    assert event.text == f"{state}: the launcher of mine does not end"
    job_stop(job_id=attached.id, reason="again", actor=operator(attached.tenant), at=later(4))
    answer_stop("done")
    assert job_reconcile(job_id=attached.id, now=later(5)).state == "stopped"


def test_a_job_of_hotswap_run_whose_agent_is_not_heard_is_stopped_where_it_runs(
    attached: Job,
) -> None:
    hear(Node.objects.get(name="n1"), at=later(-60))
    with pytest.raises(JobOutOfReach, match="in the terminal where it runs"):
        stop(attached)
    assert not Command.objects.filter(kind="stop_job").exists()


def test_a_job_that_is_not_there_is_unknown() -> None:
    with pytest.raises(JobUnknown):
        job_stop(job_id=new_id(), reason="", actor=operator(tenant()), at=NOW)

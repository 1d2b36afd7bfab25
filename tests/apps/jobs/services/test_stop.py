"""A job is stopped on request, and counts as stopped once its nodes have said so."""

import pytest

from apps.audit.models import AuditEntry
from apps.core.ids import new_id
from apps.fleet.models import Node
from apps.jobs.errors import JobNotOurs, JobOver, JobUnknown
from apps.jobs.models import Command, Job, Member
from apps.jobs.services import job_reconcile, job_stop
from tests.apps.jobs.making import (
    NOW,
    fleet,
    fresh,
    hear,
    later,
    operator,
    placed,
    run_all,
    submitted,
    tenant,
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


def test_a_job_of_hotswap_run_is_stopped_where_it_was_started(job: Job) -> None:
    Job.objects.filter(id=job.id).update(attached=True)
    with pytest.raises(JobNotOurs):
        stop(job)


def test_a_job_that_is_not_there_is_unknown() -> None:
    with pytest.raises(JobUnknown):
        job_stop(job_id=new_id(), reason="", actor=operator(tenant()), at=NOW)

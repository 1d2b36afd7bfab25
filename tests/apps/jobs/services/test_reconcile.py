"""A job gets what it lacks, and its end is noticed."""

from datetime import timedelta

import pytest

from apps.core.ids import new_id
from apps.core.models import OutboxMessage
from apps.fleet.models import Node
from apps.jobs.domain.protection import STALE_AFTER, VANISHED_AFTER
from apps.jobs.domain.supervision import EndJob, GiveUp, Replace
from apps.jobs.models import Command, Job, JobEvent, Member
from apps.jobs.services import NodeMembers, Reconciled, job_ingest, job_reconcile, members_ingest
from hotswap.wire.answers import Status
from hotswap.wire.plane import NoticeReport
from tests.apps.jobs.domain.told import notice, rank, status
from tests.apps.jobs.making import (
    NOW,
    fleet,
    fresh,
    hear,
    later,
    node,
    placed,
    process,
    run_all,
    tenant,
    told,
)

pytestmark = pytest.mark.django_db

STATUS = status(rank(0, "node-0"), rank(1, "node-1"), standbys=("standby-0",))


@pytest.fixture(name="job")
def _job() -> Job:
    fleet(tenant())
    job = placed(tenant())
    run_all(job)
    ingest(job, status=STATUS)
    return fresh(job)


def ingest(
    job: Job, *notices: NoticeReport, status: Status | None = None, seconds: float = 0.0
) -> None:
    job_ingest(
        tenant_id=job.tenant_id,
        node_id=Node.objects.get(name="n2").id,
        report=told(job, notices, status=status, stream=f"at {seconds}"),
        at=later(seconds),
    )


def look(job: Job, seconds: float) -> Reconciled:
    hear(*Node.objects.exclude(name="silent"), at=later(seconds))
    return job_reconcile(job_id=job.id, now=later(seconds))


def exits(job: Job, name: str, exit_status: int, *, seconds: float = 0.0) -> None:
    member = Member.objects.get(job=job, name=name)
    report = NodeMembers(
        tenant_id=job.tenant_id,
        node_id=member.node_id,
        members=[process(job, name, state="exited", exit_status=exit_status)],
    )
    members_ingest(reports=[report], at=later(seconds))


def test_a_complete_job_is_left_alone(job: Job) -> None:
    assert look(job, 5) == Reconciled(state="running")


def test_a_lost_standby_is_replaced_on_the_spare(job: Job) -> None:
    exits(job, "standby-0", -9)
    assert look(job, 2).actions == (Replace(role=Member.objects.get(name="standby-0").role),)  # type: ignore[arg-type]  # compares as the role's text
    new = Member.objects.get(name="standby-1")
    assert (new.node.name, new.role, new.state) == ("n5", "standby", "wanted")
    command = new.command
    assert command is not None
    assert (command.kind, command.payload["rank"], command.fence) == ("start_member", None, 2)
    assert JobEvent.objects.filter(kind="member_wanted", member="standby-1").count() == 1
    assert look(job, 3).actions == ()


def test_after_a_take_over_a_new_standby_avoids_the_nodes_of_ranks(job: Job) -> None:
    exits(job, "node-1", -9)
    ingest(job, notice("unplanned_completed", rank=1, member="standby-0", epoch=2), seconds=1)
    look(job, 2)
    # n5 has the rank now, n3 lost its process and is free
    assert Member.objects.get(name="standby-1").node.name in ("n2", "n3", "n4")


def test_nothing_is_started_on_a_node_that_has_got_worse(job: Job) -> None:
    Node.objects.filter(name__in=("n5", "n3", "n4")).update(grade="critical")
    exits(job, "standby-0", -9)
    look(job, 2)
    assert Member.objects.get(name="standby-1").node.name == "n2"


def test_a_place_that_cannot_be_filled_is_shown_once_and_filled_later(job: Job) -> None:
    Node.objects.exclude(name="n1").update(state="maintenance")
    exits(job, "standby-0", -9)
    for seconds in (2, 3):
        (shortage,) = look(job, seconds).shortages
        assert (shortage.wanted, shortage.placed) == (1, 0)
    assert JobEvent.objects.filter(kind="job_waiting").count() == 1
    assert len(fresh(job).placement_warnings) == 1
    Node.objects.filter(name="n5").update(state="active")
    look(job, 4)
    assert Member.objects.get(name="standby-1").node.name == "n5"
    assert fresh(job).placement_warnings == []


def test_a_start_that_was_refused_is_given_up_and_tried_elsewhere(job: Job) -> None:
    exits(job, "standby-0", -9)
    look(job, 2)
    Command.objects.filter(payload__member="standby-1").update(state="refused")
    assert look(job, 3).actions == (GiveUp(member="standby-1", reason="its start was refused"),)
    look(job, 5)
    assert Member.objects.filter(name="standby-2", state="wanted").exists()


def test_a_coordinator_is_replaced_apart_from_the_other(job: Job) -> None:
    lost = Member.objects.get(name="coordinator-0")
    exits(job, "coordinator-0", -9)
    look(job, 2)
    new = Member.objects.get(name="coordinator-2")
    other = Member.objects.get(name="coordinator-1")
    assert new.node_id != other.node_id
    assert new.command is not None
    assert new.node.rack_id == lost.node.rack_id
    assert new.command.kind == "start_coordinator"


def test_a_member_that_lingers_after_it_was_lost_is_ended_once(job: Job) -> None:
    Member.objects.filter(name="standby-0").update(lost_at=NOW)
    for seconds in (21, 22):
        look(job, seconds)
    ended = Command.objects.get(kind="stop_member")
    assert ended.payload["member"] == "standby-0"


@pytest.mark.parametrize(("kind", "state"), [("finished", "finished"), ("failed", "failed")])
def test_the_leaders_verdict_ends_the_job(job: Job, kind: str, state: str) -> None:
    ingest(job, notice(kind, text="so it is"), seconds=1)
    assert look(job, 2).state == state
    job = fresh(job)
    assert (job.state, job.ended_at, job.end_reason) == (state, later(2), "so it is")
    assert look(job, 3) == Reconciled(state=state)


def test_a_job_whose_script_ends_before_a_step_fails(job: Job) -> None:
    Job.objects.filter(id=job.id).update(epoch=None)
    exits(job, "node-0", 2)
    assert look(job, 2).actions == (
        EndJob(action="fail", reason="node-0 ended with exit status 2 before a step"),
    )


def test_protection_is_unknown_once_nobody_is_heard_and_everybody_is_told(job: Job) -> None:
    assert job.protection == "protected"
    stale = NOW + STALE_AFTER + timedelta(seconds=1)
    hear(*Node.objects.all(), at=stale)
    for _ in range(2):
        job_reconcile(job_id=job.id, now=stale)
    assert fresh(job).protection == "unknown"
    sent = [
        each.payload["protection"] for each in OutboxMessage.objects.filter(kind="job.progress")
    ]
    assert sent == ["protected", "unknown"]


def test_an_attached_job_replaces_its_processes_itself(job: Job) -> None:
    Job.objects.filter(id=job.id).update(attached=True)
    exits(job, "standby-0", -9)
    assert look(job, 2).actions == ()


def test_an_attached_job_that_its_agent_does_not_find_any_more_has_failed(job: Job) -> None:
    Job.objects.filter(id=job.id).update(attached=True)
    vanished = VANISHED_AFTER.total_seconds() + 1
    assert job_reconcile(job_id=job.id, now=later(vanished)).state == "running"
    assert look(job, vanished - 2).state == "running"
    assert look(job, vanished).state == "failed"


def test_a_job_that_is_not_there_is_no_fault() -> None:
    assert job_reconcile(job_id=new_id(), now=NOW) == Reconciled(state=None)


def test_a_silent_node_whose_member_the_leader_keeps_changes_nothing(job: Job) -> None:
    Node.objects.filter(name="n5").update(name="silent")
    ingest(job, status=STATUS, seconds=60)
    assert look(job, 60).actions == ()


def test_a_standby_on_a_silent_node_that_the_leader_lost_is_replaced(job: Job) -> None:
    node("n6", job.tenant, spare=True)
    Node.objects.filter(name="n5").update(name="silent")
    ingest(job, status=status(rank(0, "node-0"), rank(1, "node-1")), seconds=60)
    assert look(job, 60).actions == (
        GiveUp(member="standby-0", reason="neither its node nor the leader knows of it"),
    )
    look(job, 62)
    assert Member.objects.get(name="standby-1").node.name == "n6"

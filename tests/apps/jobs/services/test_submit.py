"""A job is asked for, gets its nodes, and its members are asked for."""

from typing import Any

import pytest

from apps.audit.models import AuditEntry
from apps.core.models import OutboxMessage
from apps.fleet.models import Node
from apps.jobs.errors import JobNameTaken, JobRefused
from apps.jobs.models import Command, Job, JobEvent, Member
from apps.jobs.services import job_reconcile
from tests.apps.jobs.making import NOW, fleet, fresh, later, node, placed, submitted, tenant

pytestmark = pytest.mark.django_db


def test_a_submission_is_written_down_audited_and_looked_at_at_once() -> None:
    fleet(tenant())
    job = submitted(tenant())
    assert (job.state, job.world_size, job.standbys_wanted) == ("submitted", 2, 1)
    assert job.digest.startswith("sha256:")
    assert AuditEntry.objects.filter(action="job.submit", subject=f"job:{job.id}").count() == 1
    wake = OutboxMessage.objects.get(topic="wake")
    assert (wake.kind, wake.payload) == ("job_reconcile", {"job_id": str(job.id)})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "../etc"),
        ("name", ""),
        ("ranks", 0),
        ("ranks", 100_000),
        ("standbys", -1),
        ("coordinators", 0),
        ("script", ""),
        ("script", "a\0b"),
        ("directory", "relative"),
        ("environment", {"HOTSWAP_JOB_KEY": "00"}),
        ("environment", {"LD_PRELOAD": "/tmp/x.so"}),  # noqa: S108 - a name that is refused
        ("environment", {"1X": "y"}),
        ("environment", {f"V{number}": "" for number in range(65)}),
        ("checkpoint_every_steps", 0),
        ("arguments", ["x"] * 257),
    ],
)
def test_a_wish_that_cannot_be_tried_is_refused_by_field(field: str, value: Any) -> None:
    fleet(tenant())
    with pytest.raises(JobRefused) as refused:
        submitted(tenant(), **{field: value})
    assert list(refused.value.fields) == [field]
    assert not Job.objects.exists()


def test_a_name_is_one_open_job_and_free_again_after_it() -> None:
    fleet(tenant())
    first = submitted(tenant())
    with pytest.raises(JobNameTaken):
        submitted(tenant())
    Job.objects.filter(id=first.id).update(state="finished")
    assert submitted(tenant()).id != first.id


def test_another_tenant_may_use_the_same_name() -> None:
    fleet(tenant())
    submitted(tenant())
    assert submitted(tenant("borealis")).name == "gpt"


def test_the_first_look_places_every_member_and_asks_for_it() -> None:
    fleet(tenant())
    job = placed(tenant())
    where = dict(Member.objects.values_list("name", "node__name"))
    assert where == {
        "node-0": "n1",
        "node-1": "n3",
        "standby-0": "n5",
        "coordinator-0": "n2",
        "coordinator-1": "n4",
    }
    assert (job.state, job.started_at) == ("starting", NOW)


def test_the_commands_of_one_placement_are_one_decision() -> None:
    fleet(tenant())
    job = placed(tenant(), arguments=["--lr", "1"], environment={"LR": "1"}, seed=7)
    commands = Command.objects.filter(job=job)
    assert set(commands.values_list("fence", flat=True)) == {1} == {job.fence}
    rank = commands.get(payload__member="node-1")
    name = f"gpt-{job.id.hex[-8:]}"
    assert rank.kind == "start_member"
    assert rank.payload == {
        "place": {"name": name, "directory": None, "key": None},
        "member": "node-1",
        "rank": 1,
        "world_size": 2,
        "script": "/srv/gpt.py",
        "arguments": ["--lr", "1"],
        "environment": {"LR": "1"},
        "slot": 0,
        "host": "n3.example.org",
        "seed": 7,
        "checkpoint_every_steps": None,
    }


def test_a_shared_folder_gets_a_directory_of_the_jobs_own() -> None:
    fleet(tenant())
    job = placed(tenant(), directory="/mnt/jobs")
    place = Command.objects.filter(job=job)[0].payload["place"]
    assert place["directory"] == f"/mnt/jobs/{place['name']}"


def test_a_second_look_changes_nothing() -> None:
    fleet(tenant())
    job = placed(tenant())
    before = (Member.objects.count(), Command.objects.count(), JobEvent.objects.count())
    assert job_reconcile(job_id=job.id, now=later(1)).actions == ()
    assert (Member.objects.count(), Command.objects.count(), JobEvent.objects.count()) == before


def test_without_room_the_job_waits_and_says_once_what_for() -> None:
    node("n1", tenant())
    node("n2", tenant(), grade="high")
    node("n3", tenant(), state="draining")
    node("n4", tenant(), heard=None)
    job = submitted(tenant())
    for seconds in (0, 1):
        assert job_reconcile(job_id=job.id, now=later(seconds)).state == "submitted"
    text = (
        "1 of 2 places for a rank were found "
        "(n2: grade high; n3: draining; n4: its agent is not heard of)"
    )
    assert fresh(job).placement_warnings == [text]
    assert JobEvent.objects.filter(kind="job_waiting").count() == 1


def test_a_job_that_waited_starts_once_there_is_room() -> None:
    node("n1", tenant())
    spare = node("n2", tenant(), spare=True)
    job = submitted(tenant(), standbys=0)
    assert job_reconcile(job_id=job.id, now=NOW).state == "submitted"
    Node.objects.filter(id=spare.id).update(is_spare=False)
    assert job_reconcile(job_id=job.id, now=later(1)).state == "starting"
    assert fresh(job).placement_warnings == []


def test_nodes_of_another_tenant_carry_nothing_of_ours() -> None:
    node("n1", tenant())
    node("n9", tenant("borealis"))
    job = submitted(tenant())
    assert job_reconcile(job_id=job.id, now=NOW).state == "submitted"


def test_members_of_another_job_take_room() -> None:
    fleet(tenant())
    placed(tenant(), ranks=4, standbys=0)
    second = submitted(tenant(), name="bert", ranks=1, standbys=0)
    assert job_reconcile(job_id=second.id, now=NOW).state == "submitted"

"""Jobs that run without the plane are found, and followed where somebody asked for it."""

from typing import Any

import pytest

from apps.core.ids import new_id
from apps.fleet.models import Node
from apps.jobs.errors import FoundJobGone, JobNameTaken
from apps.jobs.models import Command, FoundJob, Job, Member, RankOwner
from apps.jobs.services import (
    NodeFound,
    NodeMembers,
    found_ingest,
    job_attach,
    job_ingest,
    members_ingest,
)
from hotswap.wire.plane import AttachableJob
from tests.apps.jobs.domain.told import rank, status
from tests.apps.jobs.making import NOW, fleet, fresh, later, submitted, tenant, told

pytestmark = pytest.mark.django_db


@pytest.fixture(name="n1")
def _n1() -> Node:
    return fleet(tenant())[0]


def found(**changes: Any) -> AttachableJob:
    values = {
        "name": "gpt",
        "directory": "/mnt/jobs/gpt",
        "world_size": 2,
        "standbys": 1,
        "script": "/srv/gpt.py",
    }
    return AttachableJob(**{**values, **changes})


def tell(node: Node, *jobs: AttachableJob, seconds: float = 0.0) -> Any:
    return found_ingest(reports=[NodeFound(node_id=node.id, jobs=jobs)], at=later(seconds))


def test_a_found_job_waits_until_somebody_wants_it(n1: Node) -> None:
    assert tell(n1, found()) == frozenset()
    assert tell(n1, found(), seconds=5) == frozenset()
    row = FoundJob.objects.get()
    assert (row.name, row.world_size, row.seen_at) == ("gpt", 2, later(5))
    assert not Job.objects.exists()


def test_a_found_job_that_has_ended_is_forgotten(n1: Node) -> None:
    tell(n1, found())
    tell(n1)
    assert not FoundJob.objects.exists()


def test_a_job_whose_starter_asked_for_it_is_followed_at_once(n1: Node) -> None:
    (job_id,) = tell(n1, found(wanted=True))
    job = Job.objects.get(id=job_id)
    assert (job.state, job.attached, job.world_size, job.script) == (
        "running",
        True,
        2,
        "/srv/gpt.py",
    )
    command = Command.objects.get()
    assert (command.kind, command.node_id) == ("attach", n1.id)
    assert command.payload == {"place": {"name": "gpt", "directory": "/mnt/jobs/gpt", "key": None}}
    assert not FoundJob.objects.exists()


def test_an_attached_job_is_told_of_like_any_other(n1: Node) -> None:
    (job_id,) = tell(n1, found(wanted=True))
    job = Job.objects.get(id=job_id)
    snapshot = status(rank(0, "node-0"), rank(1, "node-1"))
    job_ingest(
        tenant_id=job.tenant_id, node_id=n1.id, report=told(job, status=snapshot), at=later(1)
    )
    assert fresh(job).protection == "protected"


def test_the_processes_of_an_attached_job_are_those_that_its_leader_names(n1: Node) -> None:
    (job_id,) = tell(n1, found(wanted=True))
    job = Job.objects.get(id=job_id)

    def snapshot(*owners: str, standbys: tuple[str, ...], seconds: float) -> dict[str, str]:
        told_of = status(*(rank(number, name) for number, name in enumerate(owners)),
                         standbys=standbys, epoch=1 + int(seconds))  # fmt: skip
        report = told(job, status=told_of)
        at = later(seconds)
        job_ingest(tenant_id=job.tenant_id, node_id=n1.id, report=report, at=at)
        quiet = NodeMembers(tenant_id=job.tenant_id, node_id=n1.id, members=())
        members_ingest(reports=[quiet], at=at)
        return dict(Member.objects.filter(job=job, node=n1).values_list("name", "state"))

    first = snapshot("node-0", "node-1", standbys=("standby-0",), seconds=1)
    assert first == dict.fromkeys(("node-0", "node-1", "standby-0"), "running")
    second = snapshot("node-0", "standby-0", standbys=(), seconds=2)
    assert second == {"node-0": "running", "node-1": "gone", "standby-0": "running"}
    assert RankOwner.objects.get(rank=1, epoch_to=None).node == n1


def test_a_name_that_is_taken_leaves_the_job_among_the_found_ones(n1: Node) -> None:
    submitted(tenant())
    assert tell(n1, found(wanted=True)) == frozenset()
    with pytest.raises(JobNameTaken):
        job_attach(found_id=FoundJob.objects.get().id, at=NOW)


def test_what_is_not_reported_any_more_can_not_be_attached() -> None:
    with pytest.raises(FoundJobGone):
        job_attach(found_id=new_id(), at=NOW)

"""Who speaks for a job, and what nodes hold."""

import pytest

from apps.jobs.models import Job, Member
from apps.jobs.selectors.members import job_agent_node, ranks_held
from apps.jobs.services import job_ingest
from tests.apps.jobs.domain.told import rank, status
from tests.apps.jobs.making import NOW, fleet, fresh, placed, run_all, tenant, told

pytestmark = pytest.mark.django_db


@pytest.fixture(name="job")
def _job() -> Job:
    fleet(tenant())
    job = placed(tenant())
    run_all(job)
    return job


def led_by(job: Job, leader: str) -> Job:
    snapshot = status(rank(0, "node-0"), rank(1, "node-1"), leader=leader)
    node_id = job.tenant.nodes.get(name="n2").id
    report = told(job, status=snapshot)
    job_ingest(tenant_id=job.tenant_id, node_id=node_id, report=report, at=NOW)
    return fresh(job)


def name_of(job: Job) -> str:
    names = dict(job.tenant.nodes.values_list("id", "name"))
    node_id = job_agent_node(job=job)
    assert node_id is not None
    return names[node_id]


def test_commands_about_swaps_go_to_the_leaders_node(job: Job) -> None:
    assert name_of(led_by(job, "coordinator-1")) == "n4"
    assert name_of(led_by(job, "coordinator-0")) == "n2"


def test_a_leader_of_which_no_process_is_known_is_reached_by_who_reported_it(job: Job) -> None:
    assert name_of(led_by(job, "elsewhere")) == "n2"


def test_before_the_first_report_any_coordinator_will_do(job: Job) -> None:
    assert name_of(job) in ("n2", "n4")
    Member.objects.all().delete()
    assert job_agent_node(job=job) is None


def test_nodes_hold_ranks_and_standbys_of_open_jobs(job: Job) -> None:
    job = led_by(job, "coordinator-0")
    nodes = {each.id: each.name for each in job.tenant.nodes.all()}
    held = {
        nodes[node_id]: [(each.job_name, each.rank) for each in ranks]
        for node_id, ranks in ranks_held(node_ids=nodes).items()
    }
    assert held == {"n1": [("gpt", 0)], "n3": [("gpt", 1)], "n5": [("gpt", None)]}
    Job.objects.update(state="finished")
    assert ranks_held(node_ids=nodes) == {}

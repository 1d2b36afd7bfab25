from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from apps.accounts.models import Membership, Tenant, User
from apps.approvals.models import Request
from apps.core import clock
from apps.fleet.models import Cluster, Node, NodeClass
from apps.jobs.models import Job

pytestmark = pytest.mark.django_db
GRADES = {"unknown", "low", "medium", "high", "critical"}


@pytest.fixture
def at() -> datetime:
    return clock.now()


def tenant_of(slug: str, at: datetime) -> Tenant:
    return Tenant.objects.create(slug=slug, name=slug, created_at=at)


def person(tenant: Tenant, name: str, roles: list[str], at: datetime) -> Client:
    user = User.objects.create(username=name, created_at=at)
    Membership.objects.create(user=user, tenant=tenant, roles=roles, created_at=at)
    client = Client()
    client.force_login(user)
    return client


def node(tenant: Tenant, name: str, at: datetime, **more: Any) -> Node:
    cluster, _ = Cluster.objects.get_or_create(name="alder", defaults={"created_at": at})
    kind, _ = NodeClass.objects.get_or_create(name="host", defaults={"created_at": at})
    return Node.objects.create(
        tenant=tenant,
        cluster=cluster,
        node_class=kind,
        name=name,
        state_at=at,
        created_at=at,
        **more,
    )


def job(tenant: Tenant, name: str, at: datetime, state: str = "submitted") -> Job:
    cluster, _ = Cluster.objects.get_or_create(name="alder", defaults={"created_at": at})
    return Job.objects.create(
        tenant=tenant,
        cluster=cluster,
        name=name,
        state=state,
        world_size=2,
        script="/train.py",
        submitted_by={"kind": "person", "id": "1", "name": "otto"},
        created_at=at,
    )


def request_for_approval(tenant: Tenant, at: datetime, expires_at: datetime) -> Request:
    return Request.objects.create(
        tenant=tenant,
        subject_kind="swap",
        subject_id=UUID(int=7),
        plan_digest="sha256:1",
        evidence_digest="sha256:2",
        summary="move a rank",
        proposer={"kind": "system", "id": "", "name": "hotswap"},
        proposer_person="",
        state="pending",
        expires_at=expires_at,
        created_at=at,
    )


def test_an_empty_plane_is_quiet_and_nothing_is_made_up(at: datetime) -> None:
    client = person(tenant_of("aurora", at), "otto", ["viewer"], at)
    overview = client.get("/api/v1/overview").json()
    assert overview["jobs"] == overview["swaps_open"] == []
    assert overview["last_swap"] is None
    assert overview["nodes_by_grade"] == dict.fromkeys(GRADES, 0)
    assert overview["spares"]["percent"] is None
    assert overview["approvals_waiting_for_me"] == 0


def test_a_node_that_has_not_reported_counts_as_unknown_and_not_as_well(at: datetime) -> None:
    tenant = tenant_of("aurora", at)
    client = person(tenant, "otto", ["viewer"], at)
    node(tenant, "n1", at, grade="low")
    assert client.get("/api/v1/overview").json()["nodes_by_grade"]["unknown"] == 1


def test_it_shows_jobs_that_have_not_ended(at: datetime) -> None:
    tenant = tenant_of("aurora", at)
    client = person(tenant, "otto", ["viewer"], at)
    job(tenant, "gpt", at)
    assert [each["name"] for each in client.get("/api/v1/overview").json()["jobs"]] == ["gpt"]


def test_what_waits_for_an_approver_waits_for_nobody_else(at: datetime) -> None:
    tenant = tenant_of("aurora", at)
    ada = person(tenant, "ada", ["approver"], at)
    otto = person(tenant, "otto", ["operator"], at)
    request_for_approval(tenant, at, at + timedelta(hours=1))
    assert ada.get("/api/v1/overview").json()["approvals_waiting_for_me"] == 1
    assert otto.get("/api/v1/overview").json()["approvals_waiting_for_me"] == 0


def test_nothing_of_another_tenant_is_in_it(at: datetime) -> None:
    ours, theirs = tenant_of("aurora", at), tenant_of("borealis", at)
    client = person(ours, "otto", ["viewer", "approver"], at)
    job(theirs, "secret", at)
    node(theirs, "hidden", at, is_spare=True)
    request_for_approval(theirs, at, at + timedelta(hours=1))
    for path in ("/api/v1/overview", f"/api/v1/overview?tenant={theirs.id}"):
        overview = client.get(path).json()
        assert overview["jobs"] == []
        assert sum(overview["nodes_by_grade"].values()) == 0
        assert overview["approvals_waiting_for_me"] == 0


def test_who_is_not_signed_in_sees_nothing(client: Client) -> None:
    assert client.get("/api/v1/overview").status_code == 401
    assert client.get("/api/v1/search?q=n").status_code == 401


def test_the_number_of_queries_does_not_grow_with_what_there_is(
    at: datetime, django_assert_num_queries: Any
) -> None:
    tenant = tenant_of("aurora", at)
    client = person(tenant, "otto", ["viewer"], at)
    for number in range(3):
        node(tenant, f"n{number}", at)
        job(tenant, f"job{number}", at)
    client.get("/api/v1/overview")
    # session, person, roles; jobs, grades, spares, swaps, last swap
    with django_assert_num_queries(8):
        client.get("/api/v1/overview")


def test_search_finds_by_part_of_a_name_and_by_id(at: datetime) -> None:
    tenant = tenant_of("aurora", at)
    client = person(tenant, "otto", ["viewer"], at)
    wanted = node(tenant, "rack1-n3", at)
    node(tenant, "rack1-n4", at)
    gpt = job(tenant, "gpt-n3", at)
    hits = client.get("/api/v1/search?q=N3").json()
    assert [(hit["kind"], hit["name"]) for hit in hits] == [("job", "gpt-n3"), ("node", "rack1-n3")]
    assert hits[0]["path"] == f"/jobs/{gpt.id}"
    by_id = client.get(f"/api/v1/search?q={wanted.id}").json()
    assert [hit["id"] for hit in by_id] == [str(wanted.id)]


@pytest.mark.parametrize("text", ["", "   ", "%00", "%", "_", "'", "%F0%9F%98%80", "a" * 500])
def test_odd_questions_find_nothing_and_break_nothing(at: datetime, text: str) -> None:
    tenant = tenant_of("aurora", at)
    client = person(tenant, "otto", ["viewer"], at)
    node(tenant, "n3", at)
    answer = client.get(f"/api/v1/search?q={text}")
    assert (answer.status_code, answer.json()) == (200, [])


def test_search_does_not_look_into_other_tenants(at: datetime) -> None:
    ours, theirs = tenant_of("aurora", at), tenant_of("borealis", at)
    client = person(ours, "otto", ["viewer"], at)
    hidden = node(theirs, "n3", at)
    job(theirs, "n3-job", at)
    assert client.get("/api/v1/search?q=n3").json() == []
    assert client.get(f"/api/v1/search?q={hidden.id}").json() == []

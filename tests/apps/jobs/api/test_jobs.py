"""Jobs over REST."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.core import clock
from apps.core.access import Role
from apps.fleet.models import Cluster
from apps.jobs.models import Job
from apps.jobs.services import job_ingest
from tests.apps.jobs.domain.told import committed, notice, rank, status
from tests.apps.jobs.making import (
    NOW,
    fleet,
    later,
    node,
    placed,
    run_all,
    submitted,
    tenant,
    told,
)
from tests.apps.signed_in import a_browser, a_person, a_program, a_tenant, ids

pytestmark = pytest.mark.django_db

STATUS = status(
    rank(0, "node-0", mirrors=("standby-0",), lag_steps=1),
    rank(1, "node-1"),
    standbys=("standby-0",),
)


@pytest.fixture(autouse=True)
def _fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    fleet(tenant())
    set_time(monkeypatch, 1)


@pytest.fixture(name="otto")
def _otto() -> APIClient:
    return a_browser(a_person("otto", Role.OPERATOR))


def set_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let requests come at a moment of the test."""
    for module in ("jobs", "details", "found"):
        monkeypatch.setattr(f"apps.jobs.api.{module}.now", lambda: later(seconds))
    monkeypatch.setattr(clock, "now", lambda: later(seconds))


def running() -> Job:
    job = placed(tenant())
    run_all(job)
    steps = [committed(step, loss=3.0 - step / 10) for step in range(4)]
    report = told(job, [notice("epoch_started", step=0), *steps], status=STATUS)
    node_id = job.tenant.nodes.get(name="n2").id
    job_ingest(tenant_id=job.tenant_id, node_id=node_id, report=report, at=NOW)
    return Job.objects.get(id=job.id)


def body(**changes: Any) -> dict[str, Any]:
    cluster = str(Cluster.objects.get(name="alder").id)
    return {"cluster": cluster, "name": "gpt", "script": "/srv/gpt.py", "ranks": 2} | changes


def viewer(name: str = "vera") -> User:
    return a_person(name, Role.VIEWER)


def test_a_job_is_submitted_and_shown_as_it_was_asked_for(otto: APIClient) -> None:
    answer = otto.post(
        "/api/v1/jobs",
        body(standbys=1, arguments=["--lr", ""], environment={"TOKEN": "secret"}),
    )
    assert answer.status_code == 201, answer.content
    shown = answer.json()
    assert (shown["state"], shown["arguments"], shown["cluster"]["name"]) == (
        "submitted",
        ["--lr", ""],
        "alder",
    )
    assert shown["environment_names"] == ["TOKEN"]
    assert b"secret" not in answer.content
    assert shown["submitted_by"]["name"] == "otto"
    assert (shown["protection"], shown["committed_step"]) == ("unknown", None)


def test_the_same_submission_with_its_key_is_one_job(otto: APIClient) -> None:
    answers = [otto.post("/api/v1/jobs", body(), HTTP_IDEMPOTENCY_KEY="once") for _ in range(2)]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert Job.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "../x"}, "name"),
        ({"ranks": 0}, "ranks"),
        ({"environment": {"HOTSWAP_JOB": "x"}}, "environment"),
        ({"cluster": "0194f7c0-0000-7000-8000-000000000000"}, "cluster"),
        ({"script": ""}, "script"),
    ],
)
def test_what_is_wrong_is_said_by_field(
    otto: APIClient, changes: dict[str, Any], field: str
) -> None:
    answer = otto.post("/api/v1/jobs", body(**changes))
    assert answer.status_code == 422, answer.content
    assert list(answer.json()["fields"]) == [field]


def test_a_name_that_is_taken_is_a_conflict(otto: APIClient) -> None:
    otto.post("/api/v1/jobs", body())
    answer = otto.post("/api/v1/jobs", body())
    assert (answer.status_code, answer.json()["code"]) == (409, "job_name_taken")


def test_a_viewer_looks_and_does_no_more() -> None:
    job = running()
    client = a_browser(viewer())
    assert client.get(f"/api/v1/jobs/{job.id}").status_code == 200
    assert client.post("/api/v1/jobs", body(name="other")).status_code == 403
    assert client.post(f"/api/v1/jobs/{job.id}/stop").status_code == 403


def test_a_token_needs_the_scope() -> None:
    otto = a_person("otto", Role.OPERATOR)
    assert a_program(otto, "read").post("/api/v1/jobs", body()).status_code == 403
    assert a_program(otto, "read", "jobs:write").post("/api/v1/jobs", body()).status_code == 201


def test_a_running_job_shows_what_its_leader_said(otto: APIClient) -> None:
    shown = otto.get(f"/api/v1/jobs/{running().id}").json()
    assert {name: shown[name] for name in ("state", "epoch", "committed_step", "loss")} == {
        "state": "running",
        "epoch": 1,
        "committed_step": 4,
        "loss": 2.7,
    }
    assert (shown["protection"], shown["stale"], shown["leader"]) == (
        "protected",
        False,
        "coordinator-0",
    )


def test_what_was_not_heard_of_lately_is_unknown_and_stale(
    otto: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = running()
    set_time(monkeypatch, 60)
    shown = otto.get(f"/api/v1/jobs/{job.id}").json()
    assert (shown["protection"], shown["stale"]) == ("unknown", True)
    assert otto.get("/api/v1/jobs?protection=protected").json()["results"] == []
    (first, *_) = otto.get(f"/api/v1/jobs/{job.id}/ranks").json()
    assert (first["protection"], first["lag_steps"], first["member"]) == (
        "unknown",
        None,
        "node-0",
    )


def test_the_list_filters_and_pages(otto: APIClient) -> None:
    job = running()
    others = [submitted(tenant(), name=f"bert-{number}") for number in range(3)]
    assert ids(otto.get("/api/v1/jobs?state=running")) == [job.id]
    assert ids(otto.get("/api/v1/jobs?protection=protected")) == [job.id]
    assert set(ids(otto.get("/api/v1/jobs?search=bert"))) == {each.id for each in others}
    first = otto.get("/api/v1/jobs?limit=3")
    second = otto.get(first.json()["next"])
    assert len({*ids(first), *ids(second)}) == 4


def test_losses_begin_where_asked(otto: APIClient) -> None:
    answer = otto.get(f"/api/v1/jobs/{running().id}/loss?from_step=2").json()
    assert [(each["epoch"], each["step"]) for each in answer["points"]] == [(1, 2), (1, 3)]
    assert (answer["steps"], answer["thinned"], answer["truncated"]) == (2, False, False)


def test_ranks_show_owner_node_and_mirror(otto: APIClient) -> None:
    first, second = otto.get(f"/api/v1/jobs/{running().id}/ranks").json()
    assert (first["rank"], first["member"], first["node"]["name"]) == (0, "node-0", "n1")
    assert (first["mirror"]["member"], first["mirror"]["node"]["name"]) == ("standby-0", "n5")
    assert (first["epoch_from"], first["lag_steps"], first["node"]["grade"]) == (1, 1, "low")
    assert second["mirror"] is None


def test_events_are_listed_newest_first_and_by_kind(otto: APIClient) -> None:
    path = f"/api/v1/jobs/{running().id}/events"
    numbers = [each["sequence"] for each in otto.get(path).json()["results"]]
    assert numbers == sorted(numbers, reverse=True)
    (started,) = otto.get(f"{path}?kind=epoch_started").json()["results"]
    assert (started["epoch"], started["step"], started["member"]) == (1, 0, None)


def test_members_and_commands_are_listed(otto: APIClient) -> None:
    path = f"/api/v1/jobs/{running().id}"
    members = otto.get(f"{path}/members?role=standby").json()["results"]
    assert [(each["name"], each["node"]["name"]) for each in members] == [("standby-0", "n5")]
    commands = otto.get(f"{path}/commands?kind=start_coordinator").json()["results"]
    assert [each["state"] for each in commands] == ["done", "done"]
    assert "payload" not in commands[0]


def test_a_stop_is_asked_for_and_a_second_one_changes_nothing(otto: APIClient) -> None:
    path = f"/api/v1/jobs/{running().id}/stop"
    for _ in range(2):
        answer = otto.post(path, {"reason": "enough"})
        assert answer.status_code == 200, answer.content
        assert answer.json()["stop_reason"] == "enough"
        assert answer.json()["state"] == "running"


def test_a_job_that_has_ended_is_not_stopped(otto: APIClient) -> None:
    job = running()
    Job.objects.filter(id=job.id).update(state="finished", ended_at=NOW)
    answer = otto.post(f"/api/v1/jobs/{job.id}/stop", {"reason": "x"})
    assert (answer.status_code, answer.json()["code"]) == (409, "job_over")


def test_an_export_has_a_line_for_each_job_and_no_formula(otto: APIClient) -> None:
    running()
    answer = otto.get("/api/v1/jobs/export?state=running")
    head, line = answer.content.decode().splitlines()
    assert head.startswith("name,cluster,state,world_size,epoch,committed_step,protection,loss")
    assert line.startswith("gpt,alder,running,2,1,4,protected,2.7")


def test_what_belongs_to_another_tenant_is_not_there() -> None:
    job = running()
    stranger = a_browser(a_person("sven", Role.OPERATOR, tenant=a_tenant("borealis")))
    assert stranger.get("/api/v1/jobs").json()["results"] == []
    parts = ("", "/loss", "/ranks", "/members", "/events", "/commands", "/certificates")
    for part in parts:
        assert stranger.get(f"/api/v1/jobs/{job.id}{part}").status_code == 404, part
    assert stranger.post(f"/api/v1/jobs/{job.id}/stop", {}).status_code == 404
    assert stranger.get("/api/v1/jobs/export").content.count(b"\n") == 1
    answer = stranger.post("/api/v1/jobs", body(tenant=str(job.tenant_id)))
    assert answer.status_code == 404
    assert stranger.post("/api/v1/jobs", body()).status_code == 422


@pytest.mark.parametrize(
    ("part", "queries"),
    [
        ("jobs", 4),
        ("jobs/export", 4),
        ("jobs/{id}", 4),
        ("jobs/{id}/loss", 5),
        ("jobs/{id}/ranks", 6),
        ("jobs/{id}/members", 5),
        ("jobs/{id}/events", 5),
        ("jobs/{id}/commands", 5),
        ("jobs/{id}/certificates", 5),
    ],
)
def test_an_answer_costs_as_many_queries_however_many_rows_it_has(
    otto: APIClient, django_assert_num_queries: Any, part: str, queries: int
) -> None:
    job = running()
    for number in range(3):
        node(f"m{number}", tenant())
        submitted(tenant(), name=f"bert-{number}")
    with django_assert_num_queries(queries):
        assert otto.get(f"/api/v1/{part.format(id=job.id)}").status_code == 200

"""Approvals over REST."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import Tenant
from apps.approvals.models import Request
from apps.core import clock
from apps.core.access import SYSTEM, Actor, ActorKind, Role
from tests.apps.approvals.making import LATER, PLAN, opened, person, tenant

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests of these tests be as fresh as their proposals."""
    monkeypatch.setattr(clock, "now", lambda: LATER)


@pytest.fixture
def aurora() -> Tenant:
    return tenant()


def asking(actor: Actor) -> APIClient:
    client = APIClient()
    client.force_authenticate(token=actor)  # type: ignore[arg-type] # an actor is what ours gives
    return client


def asked(actor: Actor, path: str) -> Any:
    answer = asking(actor).get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_the_list_says_what_i_can_decide_and_why_not(aurora: Tenant) -> None:
    otto = person("otto", aurora, Role.OPERATOR)
    ada = person("ada", aurora, Role.APPROVER)
    request = opened(aurora, otto)
    (mine,) = asked(ada, "approvals?state=pending&mine=true")["results"]
    assert (mine["id"], mine["may_decide"], mine["why_not"]) == (str(request.id), True, None)
    assert asked(otto, "approvals?mine=true")["results"] == []
    (seen,) = asked(otto, "approvals")["results"]
    assert (seen["may_decide"], seen["why_not"]) == (False, "you are no approver in this tenant")


def test_one_request_names_who_could_decide(aurora: Tenant) -> None:
    ada = person("ada", aurora, Role.APPROVER)
    request = opened(aurora, SYSTEM)
    shown = asked(ada, f"approvals/{request.id}")
    assert shown["who_could"] == [{"id": ada.id, "name": "Ada"}]
    assert shown["document"] == {"plan": {"rank": 2}}


def test_another_tenants_request_is_not_there(aurora: Tenant) -> None:
    stranger = person("stranger", tenant("borealis"), Role.APPROVER)
    request = opened(aurora, SYSTEM)
    client = asking(stranger)
    for path in ("", "/approve", "/refuse"):
        address = f"/api/v1/approvals/{request.id}{path}"
        body = {"plan_digest": PLAN, "reason": "x"}
        answer = client.post(address, body) if path else client.get(address)
        assert answer.status_code == 404, path
    assert asked(stranger, "approvals")["results"] == []


def test_approving_shows_the_decision_and_a_second_one_who_was_faster(aurora: Tenant) -> None:
    ada = person("ada", aurora, Role.APPROVER)
    berta = person("berta", aurora, Role.APPROVER)
    address = f"/api/v1/approvals/{opened(aurora, SYSTEM).id}"
    answer = asking(ada).post(f"{address}/approve", {"plan_digest": PLAN})
    assert (answer.status_code, answer.json()["state"]) == (200, "approved")
    assert answer.json()["decided_by"]["name"] == "Ada"
    assert answer.json()["executed_at"] is None
    late = asking(berta).post(f"{address}/refuse", {"plan_digest": PLAN, "reason": "No."})
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    assert late.json()["decided_by"]["name"] == "Ada"


def test_what_is_wrong_is_said(aurora: Tenant) -> None:
    ada = person("ada", aurora, Role.APPROVER)
    viewer = person("vera", aurora, Role.VIEWER)
    address = f"/api/v1/approvals/{opened(aurora, SYSTEM).id}"
    for actor, path, body, expected in (
        (ada, "refuse", {"plan_digest": PLAN}, (422, "invalid")),
        (ada, "approve", {"plan_digest": "sha256:other"}, (409, "plan_changed")),
        (viewer, "approve", {"plan_digest": PLAN}, (403, "may_not_decide")),
    ):
        answer = asking(actor).post(f"{address}/{path}", body)
        assert (answer.status_code, answer.json()["code"]) == expected
    assert Request.objects.get().state == "pending"


def test_a_token_needs_the_scope(aurora: Tenant) -> None:
    ada = person("ada", aurora, Role.APPROVER)
    reader = Actor(
        kind=ActorKind.TOKEN, id="0", name="t", roles=ada.roles, scopes=frozenset({"read"})
    )
    request = opened(aurora, SYSTEM)
    answer = asking(reader).post(f"/api/v1/approvals/{request.id}/approve", {"plan_digest": PLAN})
    assert answer.status_code == 403


def test_a_list_takes_as_many_queries_whatever_its_length(
    aurora: Tenant, django_assert_num_queries: Any
) -> None:
    ada = person("ada", aurora, Role.APPROVER)
    for _ in range(5):
        opened(aurora, SYSTEM)
    with django_assert_num_queries(1):
        assert len(asked(ada, "approvals")["results"]) == 5

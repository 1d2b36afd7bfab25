"""Whoever administers a tenant lets agents enrol, and ends their certificates."""

import re

import pytest

from apps.accounts.models import Agent
from apps.core.access import Role
from tests.apps.signed_in import AT, a_browser, a_person, a_tenant

pytestmark = pytest.mark.django_db


def an_agent(node: str = "n1", *, slug: str = "aurora") -> Agent:
    return Agent.objects.create(
        tenant=a_tenant(slug),
        node=node,
        serial=f"{slug}{node}",
        fingerprint=f"{slug}{node}",
        certificate_expires_at=AT,
        created_at=AT,
    )


def test_a_token_to_enrol_is_shown_once() -> None:
    answer = a_browser(a_person("root", Role.ADMIN)).post("/api/v1/enrol-tokens", {"node": "n1"})
    assert answer.status_code == 201
    assert answer.json()["token"].startswith("hse_")
    assert re.fullmatch("sha256:[0-9a-f]{64}", answer.json()["authority_digest"])


def test_agents_of_ones_own_tenants_are_seen() -> None:
    mine = an_agent()
    an_agent(slug="borealis")
    found = a_browser(a_person("otto", Role.VIEWER)).get("/api/v1/agents").json()["results"]
    assert [row["id"] for row in found] == [str(mine.id)]


def test_an_agent_is_revoked_with_a_reason() -> None:
    browser, agent = a_browser(a_person("root", Role.ADMIN)), an_agent()
    assert browser.post(f"/api/v1/agents/{agent.id}/revoke", {}).status_code == 422
    answer = browser.post(f"/api/v1/agents/{agent.id}/revoke", {"reason": "stolen"})
    assert answer.status_code == 200
    assert answer.json()["revoked_at"] is not None


def test_an_agent_of_another_tenant_is_not_there() -> None:
    browser, agent = a_browser(a_person("root", Role.ADMIN)), an_agent(slug="borealis")
    answer = browser.post(f"/api/v1/agents/{agent.id}/revoke", {"reason": "stolen"})
    assert answer.status_code == 404


def test_agents_are_filtered_by_whether_they_are_revoked() -> None:
    browser, agent = a_browser(a_person("root", Role.ADMIN)), an_agent()
    gone = an_agent("n2")
    browser.post(f"/api/v1/agents/{gone.id}/revoke", {"reason": "stolen"})
    found = browser.get("/api/v1/agents?unrevoked=true").json()["results"]
    assert [row["id"] for row in found] == [str(agent.id)]

"""What belongs to another tenant does not exist; what is seen is changed by those who may."""

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import Agent
from apps.core.access import Role
from tests.apps.signed_in import AT, a_browser, a_person, a_program, a_tenant, ids

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.apps.core.api.probe")]


def a_row(node: str = "n1", *, slug: str = "aurora") -> Agent:
    return Agent.objects.create(
        tenant=a_tenant(slug),
        node=node,
        serial=f"{slug}-{node}",
        fingerprint=f"{slug}-{node}",
        certificate_expires_at=AT,
        created_at=AT,
    )


def test_a_list_holds_the_rows_of_ones_tenants() -> None:
    mine, _other = a_row(), a_row(slug="borealis")
    assert ids(a_browser(a_person("vi", Role.VIEWER)).get("/rows")) == [mine.id]


def test_a_list_is_narrowed_to_one_of_ones_tenants() -> None:
    here, there = a_row(), a_row(slug="borealis")
    vi = a_person("vi", Role.VIEWER)
    vi.memberships.create(tenant=there.tenant, roles=["viewer"], created_at=AT)
    browser = a_browser(vi)
    assert ids(browser.get("/rows")) == [there.id, here.id]
    assert ids(browser.get(f"/rows?tenant={there.tenant_id}")) == [there.id]
    assert ids(browser.get(f"/rows?tenant={a_tenant('cumulus').id}")) == []
    assert browser.get("/rows?tenant=aurora").status_code == 422


def test_a_row_of_another_tenant_is_not_there_whatever_one_does() -> None:
    other = a_row(slug="borealis")
    browser = a_browser(a_person("root", *Role))
    for answer in (browser.get(f"/rows/{other.id}"), browser.delete(f"/rows/{other.id}")):
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_row_that_is_seen_is_changed_by_those_who_may() -> None:
    row = a_row()
    answer = a_browser(a_person("otto", Role.OPERATOR)).delete(f"/rows/{row.id}")
    assert (answer.status_code, answer.json()["who_can"]) == (403, ["admin"])
    assert a_browser(a_person("root", Role.ADMIN)).delete(f"/rows/{row.id}").status_code == 204


def test_a_role_in_another_tenant_does_not_help() -> None:
    row = a_row()
    mixed = a_person("mixed", Role.VIEWER)
    mixed.memberships.create(tenant=a_tenant("borealis"), roles=["admin"], created_at=AT)
    answer = a_browser(mixed).delete(f"/rows/{row.id}")
    assert (answer.status_code, answer.json()["who_can"]) == (403, ["admin"])


def test_whoever_is_nobody_is_asked_who_they_are() -> None:
    answer = APIClient().get("/rows")
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="hotswap"'


def test_something_new_goes_where_one_may_make_it() -> None:
    otto = a_person("otto", Role.OPERATOR)
    browser = a_browser(otto)
    assert browser.post("/rows", {"node": "n1"}).json()["tenant"] == str(a_tenant().id)
    otto.memberships.create(tenant=a_tenant("borealis"), roles=["operator"], created_at=AT)
    asked = browser.post("/rows", {"node": "n2"})
    assert (asked.status_code, list(asked.json()["fields"])) == (422, ["tenant"])
    there = str(a_tenant("borealis").id)
    assert browser.post("/rows", {"node": "n2", "tenant": there}).json()["tenant"] == there
    nowhere = str(a_tenant("cumulus").id)
    assert browser.post("/rows", {"node": "n3", "tenant": nowhere}).status_code == 404


def test_a_token_is_held_to_its_scopes() -> None:
    otto = a_person("otto", Role.OPERATOR)
    assert a_program(otto, "read").post("/rows", {"node": "n1"}).status_code == 403
    assert a_program(otto, "fleet:write").post("/rows", {"node": "n1"}).status_code == 201


@pytest.mark.parametrize("value", ["not-an-id", "%00", "0190f5a4"])
def test_a_filter_that_can_not_match_is_the_askers_mistake(value: str) -> None:
    answer = a_browser(a_person("vi", Role.VIEWER)).get(f"/rows?id={value}")
    assert (answer.status_code, list(answer.json()["fields"])) == (422, ["id"])


def test_a_filter_that_is_given_twice_matches_either() -> None:
    first, second, _third = a_row("n1"), a_row("n2"), a_row("n3")
    found = a_browser(a_person("vi", Role.VIEWER)).get("/rows?node=n1&node=n2")
    assert ids(found) == [second.id, first.id]

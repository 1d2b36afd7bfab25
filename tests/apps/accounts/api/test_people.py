"""Whoever administers a tenant says who is what in it; everybody in it sees that."""

import pytest

from apps.accounts.models import Membership
from apps.core.access import Role
from tests.apps.signed_in import a_browser, a_person, a_tenant

pytestmark = pytest.mark.django_db


def test_people_of_ones_own_tenants_are_seen() -> None:
    otto = a_person("otto", Role.OPERATOR)
    a_person("far", Role.OPERATOR, tenant=a_tenant("borealis"))
    found = a_browser(otto).get("/api/v1/members").json()["results"]
    assert [(row["username"], row["roles"]) for row in found] == [("otto", ["operator"])]


def test_an_administrator_makes_a_person_something() -> None:
    a_person("ada")
    browser = a_browser(a_person("root", Role.ADMIN))
    answer = browser.post("/api/v1/members", {"username": "ada", "roles": ["approver"]})
    assert (answer.status_code, answer.json()["roles"]) == (201, ["approver"])
    removed = browser.delete(f"/api/v1/members/{answer.json()['id']}")
    assert removed.status_code == 204
    assert not Membership.objects.filter(user__username="ada").exists()


def test_an_operator_makes_nobody_anything() -> None:
    a_person("ada")
    browser = a_browser(a_person("otto", Role.OPERATOR))
    answer = browser.post("/api/v1/members", {"username": "ada", "roles": ["approver"]})
    assert (answer.status_code, answer.json()["who_can"]) == (403, ["admin"])


def test_an_administrator_of_one_tenant_is_none_of_another() -> None:
    other = a_tenant("borealis")
    far = a_person("far", Role.OPERATOR, tenant=other)
    browser = a_browser(a_person("root", Role.ADMIN))
    body = {"username": "far", "roles": ["admin"], "tenant": str(other.id)}
    assert browser.post("/api/v1/members", body).status_code == 404
    theirs = Membership.objects.get(user=far)
    assert browser.delete(f"/api/v1/members/{theirs.id}").status_code == 404


def test_a_person_who_does_not_exist_is_said_so() -> None:
    answer = a_browser(a_person("root", Role.ADMIN)).post(
        "/api/v1/members", {"username": "nobody", "roles": ["viewer"]}
    )
    assert (answer.status_code, list(answer.json()["fields"])) == (422, ["username"])

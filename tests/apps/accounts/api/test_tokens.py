"""A person makes tokens for programs, which do what their scopes and that person's roles allow."""

from datetime import timedelta

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import ApiToken
from apps.core import clock
from apps.core.access import Role
from tests.apps.signed_in import a_browser, a_person, a_program, a_tenant, ids

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/tokens"


def shown(text: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return client


def test_a_token_is_shown_once_and_kept_as_a_digest() -> None:
    browser = a_browser(a_person("otto", Role.OPERATOR))
    made = browser.post(ADDRESS, {"name": "ci", "scopes": ["read", "jobs:write"]})
    assert made.status_code == 201
    text = made.json()["token"]
    assert text.startswith("hst_")
    row = ApiToken.objects.get()
    assert text not in {row.digest, row.prefix, row.name}
    assert text.startswith(row.prefix)
    (listed,) = browser.get(ADDRESS).json()["results"]
    assert "token" not in listed
    assert (listed["name"], listed["scopes"]) == ("ci", ["jobs:write", "read"])


def test_a_program_is_let_in_until_its_token_is_revoked() -> None:
    browser = a_browser(a_person("otto", Role.OPERATOR))
    made = browser.post(ADDRESS, {"name": "ci", "scopes": ["read"]}).json()
    program = shown(made["token"])
    assert program.get("/api/v1/session").status_code == 200
    assert browser.delete(f"{ADDRESS}/{made['id']}").status_code == 204
    assert program.get("/api/v1/session").status_code == 401
    assert browser.delete(f"{ADDRESS}/{made['id']}").status_code == 404


def test_a_token_that_has_expired_is_refused() -> None:
    browser = a_browser(a_person("otto", Role.OPERATOR))
    soon = clock.now() + timedelta(hours=1)
    made = browser.post(ADDRESS, {"name": "ci", "scopes": ["read"], "expires_at": soon}).json()
    assert shown(made["token"]).get("/api/v1/session").status_code == 200
    ApiToken.objects.update(expires_at=clock.now())
    assert shown(made["token"]).get("/api/v1/session").status_code == 401


@pytest.mark.parametrize("text", ["hst_wrong", "", "x" * 200, "hst_\u00e9"])
def test_a_token_that_nobody_made_is_refused(text: str) -> None:
    answer = shown(text).get("/api/v1/session")
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="hotswap"'


def test_a_token_loses_what_its_owner_loses() -> None:
    otto = a_person("otto", Role.ADMIN)
    program = a_program(otto, "admin")
    body = {"node": "n1"}
    assert program.post("/api/v1/enrol-tokens", body).status_code == 201
    otto.memberships.update(roles=["viewer"])
    assert program.post("/api/v1/enrol-tokens", body).status_code == 403
    type(otto).objects.update(is_active=False)
    assert program.post("/api/v1/enrol-tokens", body).status_code == 401


def test_a_token_does_what_its_scopes_say_and_no_more() -> None:
    answer = a_program(a_person("otto", Role.ADMIN), "read").post(
        "/api/v1/enrol-tokens", {"node": "n1"}
    )
    assert (answer.status_code, answer.json()["who_can"]) == (403, ["a token with scope admin"])


def test_a_token_is_of_one_tenant() -> None:
    otto = a_person("otto", Role.ADMIN)
    otto.memberships.create(
        tenant=a_tenant("borealis"), roles=["admin"], created_at=otto.created_at
    )
    program = a_program(otto)
    assert [row["slug"] for row in program.get("/api/v1/tenants").json()["results"]] == ["aurora"]


def test_a_token_makes_no_tokens() -> None:
    answer = a_program(a_person("otto", Role.ADMIN)).post(
        ADDRESS, {"name": "more", "scopes": ["read"]}
    )
    assert (answer.status_code, answer.json()["who_can"]) == (403, ["a person"])


def test_one_sees_ones_own_and_whoever_administers_sees_all() -> None:
    otto, ada = a_person("otto", Role.OPERATOR), a_person("ada", Role.APPROVER)
    a_program(otto)
    a_program(ada)
    root = a_person("root", Role.ADMIN)
    assert len(ids(a_browser(otto).get(ADDRESS))) == 1
    assert len(ids(a_browser(root).get(ADDRESS))) == 2


def test_when_a_token_was_used_is_noted_once_a_minute() -> None:
    program = a_program(a_person("otto", Role.OPERATOR))
    program.get("/api/v1/session")
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    program.get("/api/v1/session")
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    program.get("/api/v1/session")
    again = ApiToken.objects.get().last_used_at
    assert again is not None
    assert again >= first


@pytest.mark.parametrize(
    "body",
    [
        {"name": "ci", "scopes": []},
        {"name": "ci", "scopes": ["everything"]},
        {"name": "ci", "scopes": ["read"], "expires_at": "2020-01-01T00:00:00Z"},
        {"scopes": ["read"]},
    ],
)
def test_a_token_that_makes_no_sense_is_not_made(body: dict[str, object]) -> None:
    answer = a_browser(a_person("otto", Role.OPERATOR)).post(ADDRESS, body)
    assert answer.status_code == 422
    assert ApiToken.objects.count() == 0

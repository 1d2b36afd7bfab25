"""A person signs in with a browser, sees who they are, and signs out."""

import pytest
from django.test import override_settings
from rest_framework.test import APIClient
from rest_framework.throttling import SimpleRateThrottle

from apps.core.access import Role
from tests.apps.signed_in import PASSWORD, a_browser, a_person, a_program, a_tenant

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/session"


def careful_browser() -> APIClient:
    """Return a client that is held to CSRF tokens, as real browsers are."""
    return APIClient(enforce_csrf_checks=True)


def test_signing_in_says_who_one_is() -> None:
    tenant = a_tenant()
    otto = a_person("otto", Role.OPERATOR, Role.APPROVER)
    answer = careful_browser().post(ADDRESS, {"username": "otto", "password": PASSWORD})
    assert answer.status_code == 200
    assert len(answer.json().pop("csrf_token")) > 30
    assert {key: value for key, value in answer.json().items() if key != "csrf_token"} == {
        "id": str(otto.id),
        "username": "otto",
        "display_name": "Otto",
        "kind": "person",
        "scopes": None,
        "tenants": [
            {
                "id": str(tenant.id),
                "slug": "aurora",
                "name": "Aurora",
                "roles": ["approver", "operator"],
            }
        ],
    }


def test_the_session_lasts_until_one_signs_out() -> None:
    a_person("otto", Role.OPERATOR)
    browser = careful_browser()
    token = browser.post(ADDRESS, {"username": "otto", "password": PASSWORD}).json()["csrf_token"]
    assert browser.get(ADDRESS).json()["username"] == "otto"
    assert browser.delete(ADDRESS, headers={"X-CSRFToken": token}).status_code == 204
    assert browser.get(ADDRESS).status_code == 401


@pytest.mark.parametrize(
    "given",
    [
        {"username": "otto", "password": "something else"},
        {"username": "nobody", "password": PASSWORD},
    ],
)
def test_a_wrong_name_is_answered_as_a_wrong_password_is(given: dict[str, str]) -> None:
    a_person("otto", Role.OPERATOR)
    answer = careful_browser().post(ADDRESS, given)
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
        401,
        "authentication_failed",
        "Name or password is wrong.",
    )


def test_a_form_of_another_site_can_not_sign_in() -> None:
    a_person("otto", Role.OPERATOR)
    answer = careful_browser().post(
        ADDRESS,
        f"username=otto&password={PASSWORD}",
        content_type="application/x-www-form-urlencoded",
    )
    assert answer.status_code == 415


def test_writing_without_the_csrf_token_is_refused() -> None:
    a_person("otto", Role.OPERATOR)
    browser = careful_browser()
    browser.post(ADDRESS, {"username": "otto", "password": PASSWORD})
    answer = browser.delete(ADDRESS)
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")


def test_a_person_who_was_deactivated_is_out_at_once() -> None:
    otto = a_person("otto", Role.OPERATOR)
    browser = a_browser(otto)
    assert browser.get(ADDRESS).status_code == 200
    type(otto).objects.update(is_active=False)
    assert browser.get(ADDRESS).status_code == 401
    signing_in = careful_browser().post(ADDRESS, {"username": "otto", "password": PASSWORD})
    assert signing_in.status_code == 401


def test_a_program_sees_who_it_is() -> None:
    answer = a_program(a_person("otto", Role.OPERATOR), "read").get(ADDRESS).json()
    assert (answer["kind"], answer["username"], answer["scopes"]) == (
        "token",
        "otto/script",
        ["read"],
    )


def test_attempts_to_sign_in_are_limited_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SimpleRateThrottle.THROTTLE_RATES, "login", "3/min")
    monkeypatch.setattr(SimpleRateThrottle, "timer", staticmethod(lambda: 600.0))
    memory = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    a_person("otto", Role.OPERATOR)
    with override_settings(CACHES=memory):
        browser = careful_browser()
        codes = [
            browser.post(ADDRESS, {"username": "otto", "password": "no"}).status_code
            for _ in range(4)
        ]
        other = browser.post(ADDRESS, {"username": "ada", "password": "no"})
    assert codes == [401, 401, 401, 429]
    assert other.status_code == 401

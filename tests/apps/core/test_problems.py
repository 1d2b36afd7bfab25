"""Whatever goes wrong is answered as problem details, and nothing inside is shown."""

import pytest
from rest_framework.test import APIClient

from apps.core.access import Role
from apps.core.errors import Conflict, NotFound, PlaneError, TransitionRefused
from apps.core.problems import problem_of
from tests.apps.signed_in import a_browser, a_person

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.apps.core.api.probe")]


class SpareTaken(Conflict):
    """The spare is taken."""


@pytest.fixture
def browser() -> APIClient:
    client = a_browser(a_person("vi", Role.VIEWER))
    client.raise_request_exception = False
    return client


def test_an_error_has_the_code_and_the_title_of_its_class() -> None:
    assert problem_of(SpareTaken(extra={"node": "n5"})) == {
        "type": "urn:hotswap:problem:spare_taken",
        "title": "The spare is taken.",
        "status": 409,
        "detail": "The spare is taken.",
        "code": "spare_taken",
        "node": "n5",
    }


def test_what_is_extra_never_hides_what_is_always_there() -> None:
    assert problem_of(Conflict(extra={"status": 200, "code": "fine"}))["status"] == 409


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (NotFound(), 404, "not_found"),
        (TransitionRefused(state="a", action="b", allowed=()), 409, "transition_refused"),
        (PlaneError(), 500, "plane_error"),
    ],
)
def test_each_class_has_a_status(error: PlaneError, status: int, code: str) -> None:
    assert (error.status, error.code) == (status, code)


def test_fields_are_named_by_their_paths(browser: APIClient) -> None:
    answer = browser.get("/failing?how=fields")
    assert answer.status_code == 422
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["fields"] == {"rows.1.name": ["Too long."], "at": ["No time."]}


def test_what_is_wrong_with_the_whole_is_said_in_a_sentence(browser: APIClient) -> None:
    assert browser.get("/failing?how=whole").json()["detail"] == "Nonsense."


def test_a_limit_says_when_to_try_again(browser: APIClient) -> None:
    answer = browser.get("/failing?how=limit")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "2")
    assert answer.json()["retry_after_s"] == 1.5


def test_a_fault_of_ours_shows_nothing_of_it(browser: APIClient) -> None:
    answer = browser.get("/failing?how=fault")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_server_error")
    assert b"secret" not in answer.content


@pytest.mark.parametrize(
    ("content", "content_type", "status", "code"),
    [
        ("{", "application/json", 400, "parse_error"),
        ("a=1", "text/plain", 415, "unsupported_media_type"),
    ],
)
def test_a_body_that_can_not_be_read_is_a_problem(
    content: str, content_type: str, status: int, code: str
) -> None:
    client = a_browser(a_person("otto", Role.OPERATOR))
    answer = client.post("/rows", content, content_type=content_type)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_method_that_an_address_does_not_have_is_a_problem(browser: APIClient) -> None:
    answer = browser.put("/rows", {})
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")

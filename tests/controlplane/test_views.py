"""What is answered where something of ours, or the database, has failed."""

import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from controlplane.views import RETRY_AFTER_S
from controlplane.views import fault as answer_fault

FAULTS = {
    "operational": OperationalError("server closed the connection unexpectedly"),
    "interface": InterfaceError("connection already closed"),
    "programming": ProgrammingError("no such column"),
    "own": AssertionError("an owner there is"),
}


def failing(_request: HttpRequest, kind: str) -> HttpResponse:
    raise FAULTS[kind]


urlpatterns = [path("failing/<str:kind>", failing)]
handler500 = answer_fault

pytestmark = pytest.mark.urls(__name__)


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.parametrize("kind", ["operational", "interface"])
def test_a_database_that_is_away_is_no_fault_of_ours(client: Client, kind: str) -> None:
    answer = client.get(f"/failing/{kind}")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == str(RETRY_AFTER_S)
    body = answer.json()
    assert (body["code"], body["title"]) == ("database_away", "The database cannot be reached.")
    assert "Idempotency-Key" in body["detail"]


@pytest.mark.parametrize("kind", ["programming", "own"])
def test_any_other_fault_is_ours_and_shows_nothing_of_the_inside(client: Client, kind: str) -> None:
    answer = client.get(f"/failing/{kind}")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_server_error")
    assert str(FAULTS[kind]) not in answer.text

"""A request that is sent again with its key is done once, and answered the same."""

import threading

import pytest
from django.db import connection
from rest_framework.test import APIClient

from apps.accounts.models import Agent
from apps.core.access import Role
from apps.core.models import IdempotencyKey
from tests.apps.signed_in import a_browser, a_person

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.apps.core.api.probe")]

KEY = {"Idempotency-Key": "0190f5a4"}


@pytest.fixture
def browser() -> APIClient:
    return a_browser(a_person("otto", Role.OPERATOR))


def test_the_second_answer_is_the_first(browser: APIClient) -> None:
    first = browser.post("/rows", {"node": "n1"}, headers=KEY)
    second = browser.post("/rows", {"node": "n1"}, headers=KEY)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert Agent.objects.count() == 1


def test_another_body_with_the_same_key_is_a_mistake(browser: APIClient) -> None:
    browser.post("/rows", {"node": "n1"}, headers=KEY)
    answer = browser.post("/rows", {"node": "n2"}, headers=KEY)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert Agent.objects.count() == 1


def test_a_key_belongs_to_who_sent_it(browser: APIClient) -> None:
    browser.post("/rows", {"node": "n1"}, headers=KEY)
    other = a_browser(a_person("olga", Role.OPERATOR))
    answer = other.post("/rows", {"node": "n2"}, headers=KEY)
    assert answer.json()["node"] == "n2"


def test_a_request_that_failed_can_be_sent_again(browser: APIClient) -> None:
    refused = browser.post("/rows", {"node": "refused"}, headers=KEY)
    assert (refused.status_code, refused.json()["count"]) == (409, 0)
    assert IdempotencyKey.objects.count() == 0
    again = browser.post("/rows", {"node": "n1"}, headers=KEY)
    assert again.status_code == 201


def test_without_a_key_each_request_is_one_of_its_own(browser: APIClient) -> None:
    for node in ("n1", "n2"):
        assert browser.post("/rows", {"node": node}).status_code == 201
    assert IdempotencyKey.objects.count() == 0


@pytest.mark.parametrize("key", ["k" * 129, "k\x7f"])
def test_a_key_is_short_and_printable(browser: APIClient, key: str) -> None:
    answer = browser.post("/rows", {"node": "n1"}, headers={"Idempotency-Key": key})
    assert answer.status_code == 422


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_is_done_and_both_are_answered(browser: APIClient) -> None:
    answers = []

    def send() -> None:
        answers.append(browser.post("/rows", {"node": "n1"}, headers=KEY))
        connection.close()

    senders = [threading.Thread(target=send) for _ in range(2)]
    for sender in senders:
        sender.start()
        if connection.vendor == "sqlite":
            # the tests' database in memory refuses what a file would make wait: one by one
            sender.join(timeout=30)
    for sender in senders:
        sender.join(timeout=30)
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert Agent.objects.count() == 1

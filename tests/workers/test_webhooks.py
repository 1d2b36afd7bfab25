import json
from datetime import UTC, datetime, timedelta

import pytest

from apps.accounts.models import Tenant
from apps.webhooks.domain.retries import ATTEMPTS_MAX, FIRST_WAIT
from apps.webhooks.domain.signing import HEADER, verify
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.services import ATTEMPT_LOST, delivery_claim
from tests.workers.doubles import Receiver
from workers.sending import Outcome
from workers.webhooks import attempt

NOW = datetime(2030, 1, 1, tzinfo=UTC)
FINE = Outcome(status=204, problem="")
BROKEN = Outcome(status=500, problem="answered 500")
SECRET = "f" * 64
pytestmark = pytest.mark.django_db


@pytest.fixture
def delivery() -> Delivery:
    tenant = Tenant.objects.create(slug="aurora", name="Aurora", created_at=NOW)
    webhook = Webhook.objects.create(
        tenant=tenant, url="https://example.com/hook", secret=SECRET, created_at=NOW
    )
    return Delivery.objects.create(
        webhook=webhook,
        message=1,
        kind="swap.changed",
        payload={"id": "7", "state": "completed"},
        due_at=NOW,
        created_at=NOW,
    )


def test_it_is_sent_signed_and_done(delivery: Delivery) -> None:
    receiver = Receiver([FINE])
    assert attempt(delivery_id=delivery.id, sender=receiver, at=NOW) is True
    ((url, headers, body),) = receiver.got
    assert url == "https://example.com/hook"
    assert verify(secret=SECRET, header=headers[HEADER], body=body, now_s=int(NOW.timestamp()))
    assert json.loads(body)["payload"] == {"id": "7", "state": "completed"}
    delivery.refresh_from_db()
    assert (delivery.state, delivery.answer_status) == ("delivered", 204)


def test_a_failure_is_tried_again_after_a_wait_with_the_same_body(delivery: Delivery) -> None:
    receiver = Receiver([BROKEN, FINE])
    assert attempt(delivery_id=delivery.id, sender=receiver, at=NOW) is False
    too_soon = NOW + FIRST_WAIT - timedelta(seconds=1)
    assert attempt(delivery_id=delivery.id, sender=receiver, at=too_soon) is None
    assert attempt(delivery_id=delivery.id, sender=receiver, at=NOW + FIRST_WAIT) is True
    assert receiver.got[0][2] == receiver.got[1][2]


def test_after_the_last_attempt_it_is_given_up(delivery: Delivery) -> None:
    receiver = Receiver([BROKEN] * ATTEMPTS_MAX)
    at = NOW
    for _ in range(ATTEMPTS_MAX):
        assert attempt(delivery_id=delivery.id, sender=receiver, at=at) is False
        delivery.refresh_from_db()
        at = delivery.due_at
    assert (delivery.state, delivery.problem) == ("given_up", "answered 500")
    assert attempt(delivery_id=delivery.id, sender=receiver, at=at) is None


def test_two_workers_do_not_send_the_same(delivery: Delivery) -> None:
    stale = Delivery.objects.get(id=delivery.id)
    assert delivery_claim(delivery=delivery, now=NOW)
    assert not delivery_claim(delivery=stale, now=NOW)


def test_an_attempt_whose_worker_died_is_made_again(delivery: Delivery) -> None:
    assert delivery_claim(delivery=delivery, now=NOW)
    receiver = Receiver([FINE])
    assert attempt(delivery_id=delivery.id, sender=receiver, at=NOW) is None
    assert attempt(delivery_id=delivery.id, sender=receiver, at=NOW + ATTEMPT_LOST) is True


def test_one_that_was_removed_is_not_sent(delivery: Delivery) -> None:
    delivery.webhook.delete()
    assert attempt(delivery_id=delivery.id, sender=Receiver([]), at=NOW) is None

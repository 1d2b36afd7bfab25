from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from django.db import transaction

from apps.accounts.models import Tenant
from apps.core import outbox
from apps.core.models import OutboxMessage
from apps.live.models import LiveSequence
from apps.live.selectors import sequence_last
from apps.live.services import TERM_GAP
from apps.webhooks.models import Delivery, Webhook
from tests.workers.doubles import HeldLease, Recorder
from workers.relay import BATCH_MAX, KEEP, Relay

NOW = datetime(2030, 1, 1, tzinfo=UTC)
pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return Tenant.objects.create(slug="aurora", name="Aurora", created_at=NOW)


@pytest.fixture
def other() -> Tenant:
    return Tenant.objects.create(slug="borealis", name="Borealis", created_at=NOW)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def relay(recorder: Recorder) -> Relay:
    return Relay(lease=HeldLease(), outlets=recorder)


def put(
    tenant_id: UUID | None, topic: str = "live", kind: str = "node.changed", **payload: object
) -> None:
    with transaction.atomic():
        outbox.put(topic=topic, tenant_id=tenant_id, kind=kind, payload=payload, at=NOW)


def test_live_messages_are_numbered_per_tenant_without_gaps(
    relay: Relay, recorder: Recorder, tenant: Tenant, other: Tenant
) -> None:
    for place in range(3):
        put(tenant.id, place=place)
        put(other.id, place=place)
    assert relay.turn(now=NOW) == 6
    put(tenant.id, place=3)
    assert relay.turn(now=NOW) == 1
    ours = [(d.sequence, d.payload["place"]) for d in recorder.deltas if d.tenant_id == tenant.id]
    assert ours == [(1, 0), (2, 1), (3, 2), (4, 3)]
    assert [d.sequence for d in recorder.deltas if d.tenant_id == other.id] == [1, 2, 3]
    assert sequence_last(tenant_id=tenant.id) == 4


def test_what_was_sent_is_not_sent_again(relay: Relay, recorder: Recorder, tenant: Tenant) -> None:
    put(tenant.id)
    assert [relay.turn(now=NOW), relay.turn(now=NOW)] == [1, 0]
    assert len(recorder.deltas) == 1


def test_without_the_lease_nothing_is_sent(recorder: Recorder, tenant: Tenant) -> None:
    put(tenant.id)
    assert Relay(lease=HeldLease(held=False), outlets=recorder).turn(now=NOW) == 0
    assert recorder.deltas == []
    assert OutboxMessage.objects.filter(sent_at=None).count() == 1


def test_a_message_for_everybody_reaches_each_tenant(
    relay: Relay, recorder: Recorder, tenant: Tenant, other: Tenant
) -> None:
    put(None, kind="cluster.changed")
    relay.turn(now=NOW)
    assert {d.tenant_id for d in recorder.deltas} == {tenant.id, other.id}


def test_what_could_not_be_sent_is_sent_again_with_the_same_numbers(
    relay: Relay, recorder: Recorder, tenant: Tenant
) -> None:
    put(tenant.id, place=0)
    recorder.failure = ConnectionError("broker is gone")
    with pytest.raises(ConnectionError):
        relay.turn(now=NOW)
    assert relay.turn(now=NOW) == 1
    first, again = recorder.deltas
    assert first == again


def test_a_relay_that_begins_leaves_a_gap_after_what_its_predecessor_may_have_sent(
    relay: Relay, recorder: Recorder, tenant: Tenant
) -> None:
    put(tenant.id)
    relay.turn(now=NOW)
    recorder.failure = ConnectionError("the process dies here")
    put(tenant.id, place=1)
    with pytest.raises(ConnectionError):
        relay.turn(now=NOW)
    put(tenant.id, place=2)
    Relay(lease=HeldLease(), outlets=recorder).turn(now=NOW)
    numbers = [delta.sequence for delta in recorder.deltas]
    assert numbers == [1, 2, TERM_GAP + 2, TERM_GAP + 3]


def test_a_relay_that_was_overtaken_marks_nothing_as_sent(
    relay: Relay, recorder: Recorder, tenant: Tenant
) -> None:
    put(tenant.id)
    relay.turn(now=NOW)
    put(tenant.id, place=1)

    relay.outlets = Overtaking(recorder, tenant.id)
    assert relay.turn(now=NOW) == 0
    assert OutboxMessage.objects.filter(sent_at=None).count() == 1
    relay.outlets = recorder
    assert relay.turn(now=NOW) == 1
    assert recorder.deltas[-1].sequence == 77 + TERM_GAP + 1


class Overtaking(Recorder):
    """Another relay counts on while this one sends."""

    def __init__(self, recorder: Recorder, tenant_id: UUID) -> None:
        super().__init__(deltas=recorder.deltas)
        self._tenant_id = tenant_id

    def live(self, deltas: object) -> None:
        super().live(deltas)  # type: ignore[arg-type] # passed on
        LiveSequence.objects.filter(tenant_id=self._tenant_id).update(value=77)


def test_workers_are_woken_once_per_batch_and_thing(relay: Relay, recorder: Recorder) -> None:
    for _ in range(3):
        put(None, topic="wake", kind="swaps.advance", swap_id="1")
    put(None, topic="wake", kind="swaps.advance", swap_id="2")
    assert relay.turn(now=NOW) == 4
    assert recorder.wakes == [
        ("swaps.advance", {"swap_id": "1"}),
        ("swaps.advance", {"swap_id": "2"}),
    ]
    assert recorder.deltas == []


def test_webhooks_of_the_tenant_get_a_delivery_each(
    relay: Relay, recorder: Recorder, tenant: Tenant, other: Tenant
) -> None:
    for owner, kinds in ((tenant, []), (tenant, ["swap.changed"]), (tenant, ["x"]), (other, [])):
        Webhook.objects.create(
            tenant=owner, url="https://example.com/", kinds=kinds, created_at=NOW
        )
    put(tenant.id, topic="webhook", kind="swap.changed", id="7")
    relay.turn(now=NOW)
    found = Delivery.objects.select_related("webhook")
    assert sorted(each.webhook.kinds for each in found) == [[], ["swap.changed"]]
    assert {each.webhook.tenant_id for each in found} == {tenant.id}
    assert {each.payload["id"] for each in found} == {"7"}
    assert recorder.wakes == [("webhook_deliver_due", {})]


def test_a_batch_has_a_limit_and_the_rest_follows(
    relay: Relay, recorder: Recorder, tenant: Tenant
) -> None:
    OutboxMessage.objects.bulk_create(
        OutboxMessage(topic="live", tenant_id=tenant.id, kind="k", payload={"n": n}, created_at=NOW)
        for n in range(BATCH_MAX + 1)
    )
    assert [relay.turn(now=NOW), relay.turn(now=NOW)] == [BATCH_MAX, 1]
    numbers = [delta.sequence for delta in recorder.deltas]
    assert all(after == before + 1 for before, after in pairwise(numbers))


def test_the_gap_of_a_term_is_wider_than_a_batch() -> None:
    assert TERM_GAP >= BATCH_MAX


def test_messages_that_were_sent_long_ago_are_deleted(relay: Relay, tenant: Tenant) -> None:
    put(tenant.id)
    relay.turn(now=NOW)
    relay.turn(now=NOW + KEEP)
    assert OutboxMessage.objects.count() == 1
    relay.turn(now=NOW + KEEP + timedelta(minutes=2))
    assert OutboxMessage.objects.count() == 0

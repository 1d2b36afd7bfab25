"""Sends webhooks that are due: signed, tried again with growing waits, in the end given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import UUID

import structlog
from django.conf import settings

from apps.core.canonical import encode
from apps.core.clock import now
from apps.webhooks.domain.signing import HEADER, sign
from apps.webhooks.selectors import deliveries_due, delivery_find
from apps.webhooks.services import delivery_claim, delivery_done, delivery_failed
from workers.base import task
from workers.sending import HttpSender

if TYPE_CHECKING:
    from datetime import datetime

    from apps.webhooks.models import Delivery
    from workers.sending import Sender

#: Deliveries that one look hands out; the next look takes the rest.
DUE_MAX: Final = 200

_log = structlog.get_logger()


@task("webhook_deliver_due")
def deliver_due(**_future: object) -> None:
    """Hand out everything that is due, each as a task of its own: one may wait for long."""
    for delivery in deliveries_due(now=now(), deliveries_max=DUE_MAX):
        deliver.delay(delivery_id=str(delivery.id))


@task("webhook_deliver", task_s=30)
def deliver(*, delivery_id: str, **_future: object) -> None:
    """Make one attempt at one delivery."""
    sender = HttpSender(private_allowed=settings.HOTSWAP_WEBHOOK_PRIVATE)
    attempt(delivery_id=UUID(delivery_id), sender=sender, at=now())


def attempt(*, delivery_id: UUID, sender: Sender, at: datetime) -> bool | None:
    """Send a delivery that is due, if nobody else does; whether it got there; None: not sent."""
    delivery = delivery_find(delivery_id=delivery_id)
    due = delivery is not None and delivery.state == "pending" and delivery.due_at <= at
    if delivery is None or not due or not delivery_claim(delivery=delivery, now=at):
        return None
    body = body_of(delivery)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "hotswap-webhooks/1",
        "Hotswap-Delivery": str(delivery.id),
        "Hotswap-Kind": delivery.kind,
        HEADER: sign(secret=delivery.webhook.secret, at_s=int(at.timestamp()), body=body),
    }
    outcome = sender.send(url=delivery.webhook.url, headers=headers, body=body)
    if outcome.problem:
        _log.info("webhook.failed", delivery=str(delivery.id), problem=outcome.problem)
        delivery_failed(
            delivery=delivery, answer_status=outcome.status, problem=outcome.problem, now=at
        )
        return False
    delivery_done(delivery=delivery, answer_status=outcome.status or 0, now=at)
    return True


def body_of(delivery: Delivery) -> bytes:
    """Return what is sent: the same bytes in each attempt."""
    return encode(
        {
            "id": str(delivery.id),
            "kind": delivery.kind,
            "tenant": str(delivery.webhook.tenant_id),
            "created_at": delivery.created_at.isoformat(),
            "payload": delivery.payload,
        }
    )

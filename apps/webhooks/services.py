"""Making and removing webhooks; what becomes of each delivery."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from apps.audit.services import audit_record
from apps.core.access import Actor
from apps.core.errors import Invalid, LimitReached
from apps.core.models import OutboxMessage
from apps.webhooks.domain.addresses import url_problem
from apps.webhooks.domain.retries import wait_after
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.selectors import webhooks_of

#: Webhooks of one tenant.
WEBHOOKS_MAX: Final = 20
#: An attempt that has not ended after this is lost, and is made again.
ATTEMPT_LOST: Final = timedelta(seconds=60)
_SECRET_NBYTES: Final = 32
_PROBLEM_LETTERS_MAX: Final = 200


def webhook_create(
    *, actor: Actor, tenant_id: UUID, url: str, kinds: Sequence[str], at: datetime
) -> Webhook:
    """Make a webhook; its ``secret`` is for the caller's eyes, this once.

    Raises:
        Invalid: the address is not one that anything is sent to.
        LimitReached: the tenant has too many.
    """
    problem = url_problem(url, private_allowed=settings.HOTSWAP_WEBHOOK_PRIVATE)
    if problem:
        raise Invalid(fields={"url": [problem]})
    with transaction.atomic():
        if Webhook.objects.filter(tenant_id=tenant_id).count() >= WEBHOOKS_MAX:
            raise LimitReached(f"A tenant has {WEBHOOKS_MAX} webhooks at most; remove one.")
        webhook = Webhook.objects.create(
            tenant_id=tenant_id,
            url=url,
            kinds=sorted(set(kinds)),
            secret=secrets.token_hex(_SECRET_NBYTES),
            creator=actor.name,
            created_at=at,
        )
        _audit(webhook, actor=actor, action="webhook.created", at=at)
    return webhook


def webhook_delete(*, actor: Actor, webhook: Webhook, at: datetime) -> None:
    """Remove a webhook and what was to be sent to it."""
    with transaction.atomic():
        _audit(webhook, actor=actor, action="webhook.deleted", at=at)
        webhook.delete()


def deliveries_put(*, messages: Sequence[OutboxMessage], at: datetime) -> int:
    """Write a delivery for each webhook that wants a message; return how many.

    May be called again with the same messages: nothing is written twice.
    """
    tenants = {each.tenant_id for each in messages if each.tenant_id is not None}
    if not tenants:
        return 0
    wanted = [
        Delivery(
            webhook=webhook,
            message=message.id,
            kind=message.kind,
            payload=message.payload,
            due_at=at,
            created_at=at,
        )
        for webhook in webhooks_of(tenant_ids=tenants)
        for message in messages
        if message.tenant_id == webhook.tenant_id
        and (not webhook.kinds or message.kind in webhook.kinds)
    ]
    Delivery.objects.bulk_create(wanted, ignore_conflicts=True)
    return len(wanted)


def delivery_claim(*, delivery: Delivery, now: datetime) -> bool:
    """Take a due delivery, so that nobody else sends it meanwhile; False: somebody has it.

    Whoever dies with it loses it: it is due again once the attempt must have ended.
    """
    rows = Delivery.objects.filter(
        id=delivery.id,
        state=Delivery.State.PENDING,
        attempts=delivery.attempts,
        due_at=delivery.due_at,
    )
    delivery.attempts += 1
    delivery.due_at = now + ATTEMPT_LOST
    return bool(rows.update(attempts=delivery.attempts, due_at=delivery.due_at))


def delivery_done(*, delivery: Delivery, answer_status: int, now: datetime) -> None:
    """Write down that a claimed delivery has been taken by its receiver."""
    _claimed(delivery).update(
        state=Delivery.State.DELIVERED,
        answer_status=answer_status,
        problem="",
        delivered_at=now,
    )


def delivery_failed(
    *, delivery: Delivery, answer_status: int | None, problem: str, now: datetime
) -> None:
    """Write down that an attempt has failed: it is made again later, or given up."""
    wait = wait_after(delivery.attempts)
    _claimed(delivery).update(
        state=Delivery.State.GIVEN_UP if wait is None else Delivery.State.PENDING,
        answer_status=answer_status,
        problem=problem[:_PROBLEM_LETTERS_MAX],
        due_at=delivery.due_at if wait is None else now + wait,
    )


def _claimed(delivery: Delivery) -> QuerySet[Delivery]:
    return Delivery.objects.filter(
        id=delivery.id, state=Delivery.State.PENDING, attempts=delivery.attempts
    )


def _audit(webhook: Webhook, *, actor: Actor, action: str, at: datetime) -> None:
    audit_record(
        at=at,
        actor=actor,
        tenant_id=webhook.tenant_id,
        action=action,
        subject=f"webhook:{webhook.id}",
        detail={"url": webhook.url, "kinds": webhook.kinds},
    )

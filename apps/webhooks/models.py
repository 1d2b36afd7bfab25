"""Webhooks, and what is or was sent to each."""

from django.db import models
from django.db.models import Q

from apps.accounts.models import Tenant
from apps.core.models import Entity


class Webhook(Entity):
    """Where a tenant wants to be told about what."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    # list of kinds: "swap.changed"; empty: all
    kinds = models.JSONField(default=list)
    # signs what is sent: shown once, when the webhook is made
    secret = models.CharField(max_length=64)
    # who made it
    creator = models.CharField(max_length=200)

    def __str__(self) -> str:
        return self.url


class Delivery(Entity):
    """One message for one webhook."""

    class State(models.TextChoices):
        """What has become of it."""

        PENDING = "pending"
        DELIVERED = "delivered"
        GIVEN_UP = "given_up"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    # number of the message in the outbox
    message = models.BigIntegerField()
    kind = models.CharField(max_length=64)
    payload = models.JSONField()
    state = models.CharField(max_length=16, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    # when it is sent next; while an attempt runs, when that counts as lost
    due_at = models.DateTimeField()
    # null: not yet delivered
    delivered_at = models.DateTimeField(null=True)
    # of the last attempt; null: there was none, or no answer
    answer_status = models.PositiveSmallIntegerField(null=True)
    # why the last attempt failed
    problem = models.CharField(max_length=200, blank=True)

    class Meta:
        """One delivery per message; what is due is found by an index of its own."""

        constraints = (
            models.UniqueConstraint(fields=("webhook", "message"), name="delivery_once"),
            models.CheckConstraint(
                condition=Q(state__in=("pending", "delivered", "given_up")),
                name="delivery_state_known",
            ),
        )
        indexes = (
            models.Index(fields=("due_at",), condition=Q(state="pending"), name="delivery_due"),
        )

    def __str__(self) -> str:
        return f"{self.kind} to {self.webhook_id}"

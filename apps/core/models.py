"""Rows that belong to no business noun, and the base of those that do."""

from django.db import models
from django.db.models import Q

from apps.core.ids import new_id


class Entity(models.Model):
    """Something with an address in the API. When it was made is passed in, never read here."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    created_at = models.DateTimeField()

    class Meta:
        """No table of its own."""

        abstract = True


class OutboxMessage(models.Model):
    """What is to be told to somebody once the transaction has been committed."""

    id = models.BigAutoField(primary_key=True)
    # to whom: one of core.outbox.TOPICS
    topic = models.CharField(max_length=16)
    # null: about everybody's things
    tenant_id = models.UUIDField(null=True)
    # what happened: "swap.changed"
    kind = models.CharField(max_length=64)
    payload = models.JSONField()
    created_at = models.DateTimeField()
    # null: not yet sent
    sent_at = models.DateTimeField(null=True)

    class Meta:
        """Few rows are unsent: they are found by an index of their own."""

        indexes = (
            models.Index(fields=("topic", "id"), condition=Q(sent_at=None), name="outbox_unsent"),
            models.Index(fields=("sent_at",), name="outbox_sent"),
        )

    def __str__(self) -> str:
        return f"{self.topic} {self.kind}"


class IdempotencyKey(models.Model):
    """The answer to a request that a program may repeat without doing the thing twice."""

    id = models.BigAutoField(primary_key=True)
    # who asked: kind and id
    actor = models.CharField(max_length=64)
    # what was asked: method and path
    request = models.CharField(max_length=300)
    key = models.CharField(max_length=128)
    # digest of the body: the same key with another body is a mistake
    body_digest = models.CharField(max_length=71)
    # answer; null only within the transaction that makes it
    status = models.PositiveSmallIntegerField(null=True)
    answer = models.JSONField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        """One answer per key and request of an actor."""

        constraints = (
            models.UniqueConstraint(
                fields=("actor", "request", "key"), name="idempotency_key_once"
            ),
        )
        indexes = (models.Index(fields=("created_at",), name="idempotency_age"),)

    def __str__(self) -> str:
        return f"{self.request} {self.key}"

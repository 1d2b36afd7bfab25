"""Requests for approval."""

from django.db import models
from django.db.models import Q

from apps.accounts.models import Tenant
from apps.approvals.domain.limits import REASON_LENGTH_MAX, SUMMARY_LENGTH_MAX
from apps.approvals.domain.states import PENDING, TABLE
from apps.core.models import Entity


class Request(Entity):
    """Somebody asks that exactly this be done. Decided and executed are two facts."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="approvals")
    # what is to be done: "swap", and its id
    subject_kind = models.CharField(max_length=32)
    subject_id = models.UUIDField()
    # of the document that would be carried out, and of what it rests on
    plan_digest = models.CharField(max_length=71)
    evidence_digest = models.CharField(max_length=71)
    # what is asked, in a paragraph
    summary = models.CharField(max_length=SUMMARY_LENGTH_MAX)
    # what is decided about: plan, evidence, risks of doing and of not doing
    document = models.JSONField(default=dict)
    # who asks: kind, id and name; and the person behind, "" for the system
    proposer = models.JSONField(default=dict)
    proposer_person = models.CharField(max_length=36, blank=True)
    # one of domain.states.TABLE
    state = models.CharField(max_length=16, default=PENDING)
    expires_at = models.DateTimeField()
    # kind, id and name; null: nobody has decided
    decided_by = models.JSONField(null=True)
    decided_at = models.DateTimeField(null=True)
    # of the decision, or why the request is void
    reason = models.CharField(max_length=REASON_LENGTH_MAX, blank=True)
    # when what was approved was begun; null: not yet
    executed_at = models.DateTimeField(null=True)

    class Meta:
        """A subject has one request that counts."""

        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=TABLE.states), name="approval_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=("approved", "refused")) | Q(decided_at__isnull=False),
                name="approval_decided_by_somebody",
            ),
            models.UniqueConstraint(
                fields=("subject_kind", "subject_id"),
                condition=Q(state=PENDING),
                name="approval_pending_once",
            ),
        )
        indexes = (
            models.Index(fields=("tenant", "state", "-id"), name="approval_of_tenant"),
            models.Index(fields=("subject_kind", "subject_id", "-id"), name="approval_of_subject"),
            models.Index(
                fields=("expires_at",), condition=Q(state=PENDING), name="approval_pending_expiry"
            ),
        )

    def __str__(self) -> str:
        return f"{self.subject_kind} {self.subject_id}: {self.state}"

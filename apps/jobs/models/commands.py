"""What the plane wants of an agent."""

from django.db import models
from django.db.models import Q

from apps.accounts.models import Tenant
from apps.core.models import Entity
from apps.jobs.domain.states import COMMAND
from apps.jobs.models.jobs import Job


class Command(Entity):
    """One thing for one node to do, once. Decided, sent and done are three facts."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="commands")
    node = models.ForeignKey("fleet.Node", on_delete=models.CASCADE, related_name="commands")
    # null where it is about the node
    job = models.ForeignKey(Job, on_delete=models.CASCADE, null=True, related_name="commands")
    # one of `hotswap.wire.plane.CommandKind`
    kind = models.CharField(max_length=32)
    # what it was given for; the same key again is the same command
    key = models.CharField(max_length=200, null=True, unique=True)  # noqa: DJ001 - null: no key
    # number of the plane's decision about the job
    fence = models.PositiveBigIntegerField(default=0)
    payload = models.JSONField(default=dict)
    # one of domain.states.COMMAND
    state = models.CharField(max_length=16, default="queued")
    # not begun after this
    deadline_at = models.DateTimeField()
    # when it last left with an answer; null: not yet
    sent_at = models.DateTimeField(null=True)
    # when the agent said something about it last; null: not yet
    answered_at = models.DateTimeField(null=True)
    # for people; why, unless it is done
    detail = models.TextField(blank=True)
    # for programs: `hotswap.wire.plane.CommandResult.values`
    result = models.JSONField(default=dict)

    class Meta:
        """Few commands are open: they are found by an index of their own."""

        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=COMMAND.states), name="command_state_known"
            ),
        )
        indexes = (
            models.Index(
                fields=("node", "fence", "id"),
                condition=Q(state__in=COMMAND.open_states),
                name="command_open_of_node",
            ),
            models.Index(
                fields=("deadline_at",),
                condition=Q(state__in=COMMAND.open_states),
                name="command_open_deadline",
            ),
            models.Index(fields=("job", "-id"), name="command_of_job"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"

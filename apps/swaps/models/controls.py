"""What keeps swaps within bounds, and how far the events of jobs were taken in."""

from django.db import models
from django.db.models import Q

from apps.accounts.models import Tenant
from apps.core.models import Entity
from apps.swaps.domain.limits import PER_JOB_MAX, PER_RACK_MAX, PER_TENANT_MAX, REASON_LENGTH_MAX


class Brake(Entity):
    """No new planned swap begins in a tenant. Recoveries go on."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="brakes")
    # kind, id and name
    engaged_by = models.JSONField()
    reason = models.CharField(max_length=REASON_LENGTH_MAX)
    released_by = models.JSONField(null=True)
    # null as long as it is on
    released_at = models.DateTimeField(null=True)

    class Meta:
        """A tenant has one brake that is on."""

        constraints = (
            models.UniqueConstraint(
                fields=("tenant",), condition=Q(released_at=None), name="brake_on_once"
            ),
        )

    def __str__(self) -> str:
        return "on" if self.released_at is None else "off"


class SwapLimit(Entity):
    """How many planned swaps a tenant lets be under way at once."""

    tenant = models.OneToOneField(Tenant, on_delete=models.CASCADE, related_name="swap_limit")
    per_job = models.PositiveIntegerField(default=PER_JOB_MAX)
    per_rack = models.PositiveIntegerField(default=PER_RACK_MAX)
    per_tenant = models.PositiveIntegerField(default=PER_TENANT_MAX)

    def __str__(self) -> str:
        return f"{self.per_job}, {self.per_rack}, {self.per_tenant}"


class Hold(Entity):
    """A rank whose swaps failed again and again with one cause: nothing more is tried."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="swap_holds")
    job = models.ForeignKey("jobs.Job", on_delete=models.CASCADE, related_name="swap_holds")
    rank = models.PositiveIntegerField()
    # stable code of what failed
    cause = models.CharField(max_length=64)
    released_by = models.JSONField(null=True)
    # null as long as it holds
    released_at = models.DateTimeField(null=True)

    class Meta:
        """A rank is held once."""

        constraints = (
            models.UniqueConstraint(
                fields=("job", "rank"), condition=Q(released_at=None), name="hold_on_once"
            ),
        )

    def __str__(self) -> str:
        return f"rank {self.rank}: {self.cause}"


class JobCursor(models.Model):
    """How far the events of a job were looked through for takeovers."""

    job = models.OneToOneField(
        "jobs.Job", on_delete=models.CASCADE, primary_key=True, related_name="swap_cursor"
    )
    # number of the newest event that was taken in
    sequence = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.sequence}"

"""Where nodes stand, and of what kind they are. Shared by all tenants; nodes belong to one."""

from django.db import models
from django.db.models import F, Q

from apps.core.models import Entity


class Cluster(Entity):
    """Nodes on one fabric."""

    name = models.CharField(max_length=120, unique=True)

    def __str__(self) -> str:
        return self.name


class FailureDomain(Entity):
    """What its nodes lose together; domains stand in one another."""

    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="domains")
    # rack, power or switch
    kind = models.CharField(max_length=16)
    name = models.CharField(max_length=120)
    # null: it stands in nothing
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")

    class Meta:
        """A name is one domain among its kind."""

        constraints = (
            models.UniqueConstraint(
                fields=("cluster", "kind", "name"), name="failure_domain_name_once"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=("rack", "power", "switch")), name="failure_domain_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(parent=None) | ~Q(parent=F("id")), name="failure_domain_not_in_itself"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class NodeClass(Entity):
    """Nodes that can stand in for one another."""

    name = models.CharField(max_length=120, unique=True)
    # maker of the accelerators; empty: not known
    vendor = models.CharField(max_length=120, blank=True)
    # accelerators of one node; null: not known
    accelerators = models.PositiveIntegerField(null=True)
    # memory of one node; null: not known
    memory_gib = models.PositiveIntegerField(null=True)
    # power of one accelerator at its full rate; null: not known
    tdp_w = models.PositiveIntegerField(null=True)

    def __str__(self) -> str:
        return self.name

"""Nodes, what is in them, and what has happened to them."""

from django.db import models
from django.db.models import Q

from apps.accounts.models import Agent, Tenant
from apps.core.models import Entity
from apps.fleet.domain.grades import Grade
from apps.fleet.domain.states import TABLE, NodeState
from apps.fleet.models.places import Cluster, FailureDomain, NodeClass

GRADES = tuple(grade.value for grade in Grade)


class Node(Entity):
    """A machine of a tenant.

    ``grade`` is what its latest report made of it. Whether that still counts depends on the time:
    ``selectors.nodes.nodes_at`` answers with the grade as it is now.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="nodes")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="nodes")
    name = models.CharField(max_length=120)
    node_class = models.ForeignKey(NodeClass, on_delete=models.PROTECT, related_name="nodes")
    # null if not known
    rack = models.ForeignKey(
        FailureDomain, on_delete=models.SET_NULL, null=True, related_name="rack_nodes"
    )
    # the innermost domains, the rack among them; those above follow from their parents
    domains = models.ManyToManyField(FailureDomain, related_name="nodes")
    # how it is reached; empty: not known
    address = models.CharField(max_length=200, blank=True)
    # the agent that speaks for it; null: none has enrolled
    agent = models.OneToOneField(Agent, on_delete=models.SET_NULL, null=True, related_name="owner")
    # what it may be used for, as `NodeState` says
    state = models.CharField(max_length=16, default=NodeState.ACTIVE.value)
    # why, as whoever changed it said
    state_reason = models.CharField(max_length=500, blank=True)
    state_at = models.DateTimeField()
    # kept free to take over
    is_spare = models.BooleanField(default=False)
    # what the spare is promised to, "swap:<id>"; null: nothing
    reserved_for = models.CharField(max_length=120, null=True)  # noqa: DJ001 - null: not reserved
    # how much it is at risk, as `Grade` says
    grade = models.CharField(max_length=16, default=Grade.UNKNOWN.value)
    grade_at = models.DateTimeField(null=True)
    # levels of firmware and software, by name
    firmware = models.JSONField(default=dict)

    class Meta:
        """A name is one node of a cluster; state and grade are known; only spares are reserved."""

        constraints = (
            models.UniqueConstraint(fields=("cluster", "name"), name="node_name_once"),
            models.CheckConstraint(condition=Q(state__in=TABLE.states), name="node_state_known"),
            models.CheckConstraint(condition=Q(grade__in=GRADES), name="node_grade_known"),
            models.CheckConstraint(
                condition=Q(reserved_for=None) | Q(is_spare=True), name="node_reserved_is_spare"
            ),
            # what a spare is promised to holds it alone. Partial, so that PostgreSQL does not take
            # the column for a key: else a reservation would wait for every row that refers to the
            # node, and a deadlock be near
            models.UniqueConstraint(
                fields=("reserved_for",),
                condition=Q(reserved_for__isnull=False),
                name="node_reserved_once",
            ),
        )
        indexes = (
            models.Index(fields=("tenant", "name", "id"), name="node_by_name"),
            models.Index(fields=("tenant", "grade"), name="node_by_grade"),
            models.Index(fields=("cluster",), condition=Q(is_spare=True), name="node_spares"),
        )

    def __str__(self) -> str:
        return self.name


class Device(Entity):
    """An accelerator of a node."""

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="devices")
    # such as gpu
    kind = models.CharField(max_length=40)
    index = models.PositiveIntegerField()
    # empty if not known
    model = models.CharField(max_length=200, blank=True)
    uuid = models.CharField(max_length=200, blank=True)
    # null if not known
    memory_nbytes = models.PositiveBigIntegerField(null=True)
    # present or missing: it was there, and the node does not see it any more
    state = models.CharField(max_length=16, default="present")
    # since when it is in that state
    state_at = models.DateTimeField()

    class Meta:
        """A place in a node holds one device."""

        constraints = (
            models.UniqueConstraint(fields=("node", "kind", "index"), name="device_place_once"),
            models.CheckConstraint(
                condition=Q(state__in=("present", "missing")), name="device_state_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.index}"


class NodeEvent(models.Model):
    """Something that has happened to a node. Rows are only ever added."""

    id = models.BigAutoField(primary_key=True)
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField()
    # what became different: state, grade, spare, registered, imported, device
    kind = models.CharField(max_length=16)
    # before and after; empty where that means nothing
    before = models.CharField(max_length=120, blank=True)
    after = models.CharField(max_length=120, blank=True)
    # kind, id and name of who did it
    actor = models.JSONField()
    # why
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        """Read per node, newest first."""

        indexes = (models.Index(fields=("node", "-id"), name="node_event_latest"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.before} -> {self.after}"

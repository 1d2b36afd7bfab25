"""Processes of a job, and which of them owned or mirrored a rank."""

from django.db import models
from django.db.models import Q

from apps.core.models import Entity
from apps.jobs.domain.placement import Role
from apps.jobs.domain.states import MEMBER, PROTECTIONS
from apps.jobs.models.commands import Command
from apps.jobs.models.jobs import Job


class Member(Entity):
    """One process of a job. Its name is never used twice."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="members")
    name = models.CharField(max_length=200)
    node = models.ForeignKey("fleet.Node", on_delete=models.PROTECT, related_name="members")
    # what it was started as: one of domain.placement.Role
    role = models.CharField(max_length=16)
    # rank that it was to own first; null for standbys and coordinators
    rank = models.PositiveIntegerField(null=True)
    # one of domain.states.MEMBER: what its agent said last
    state = models.CharField(max_length=16, default="wanted")
    # when the state became what it is
    since = models.DateTimeField()
    pid = models.PositiveIntegerField(null=True)
    # negative for a signal; null: it runs, or nobody knows
    exit_status = models.IntegerField(null=True)
    # since when nobody counts on it any more, and why
    lost_at = models.DateTimeField(null=True)
    lost_reason = models.CharField(max_length=500, blank=True)
    # what starts it; null: not the plane
    command = models.ForeignKey(Command, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        """A name stands for one process."""

        constraints = (
            models.UniqueConstraint(fields=("job", "name"), name="member_name_once"),
            models.CheckConstraint(condition=Q(state__in=MEMBER.states), name="member_state_known"),
            models.CheckConstraint(
                condition=Q(role__in=[role.value for role in Role]), name="member_role_known"
            ),
        )

    def __str__(self) -> str:
        return self.name


class RankOwner(models.Model):
    """A member owned a rank from one epoch to another, both included."""

    id = models.BigAutoField(primary_key=True)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="owners")
    rank = models.PositiveIntegerField()
    epoch_from = models.PositiveBigIntegerField()
    # null: it still does
    epoch_to = models.PositiveBigIntegerField(null=True)
    member = models.CharField(max_length=200)
    # null: no agent has said where the member runs
    node = models.ForeignKey(
        "fleet.Node", on_delete=models.SET_NULL, null=True, related_name="rank_owners"
    )

    class Meta:
        """A rank has one owner in an epoch."""

        constraints = (
            models.UniqueConstraint(
                fields=("job", "rank"), condition=Q(epoch_to=None), name="rank_owner_open_once"
            ),
            models.UniqueConstraint(
                fields=("job", "rank", "epoch_from"), name="rank_owner_begins_once"
            ),
            models.CheckConstraint(
                condition=Q(epoch_to=None) | Q(epoch_to__gte=models.F("epoch_from")),
                name="rank_owner_in_order",
            ),
        )
        indexes = (
            models.Index(fields=("node",), condition=Q(epoch_to=None), name="rank_owner_on_node"),
        )

    def __str__(self) -> str:
        return f"rank {self.rank}: {self.member}"


class MirrorState(models.Model):
    """A member mirrors a rank now."""

    id = models.BigAutoField(primary_key=True)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="mirrors")
    rank = models.PositiveIntegerField()
    member = models.CharField(max_length=200)
    # of the rank: one of domain.states.PROTECTIONS
    protection = models.CharField(max_length=16)
    # steps that the rank's nearest mirror is behind; null: unknown
    lag_steps = models.PositiveIntegerField(null=True)

    class Meta:
        """A member mirrors a rank once."""

        constraints = (
            models.UniqueConstraint(fields=("job", "rank", "member"), name="mirror_once"),
            models.CheckConstraint(
                condition=Q(protection__in=PROTECTIONS), name="mirror_protection_known"
            ),
        )

    def __str__(self) -> str:
        return f"rank {self.rank}: {self.member}"

"""What the API says about jobs."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.fleet.api.serializers import GRADES
from apps.jobs.domain.placement import Role
from apps.jobs.domain.states import COMMAND, JOB, MEMBER, PROTECTIONS
from apps.jobs.models import Certificate, Command, FoundJob, Job, JobEvent, Member
from apps.jobs.selectors.ranks import RankRow, Standing


class ReferenceOut(serializers.Serializer[Any]):
    """Something with a name."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class NodeRefOut(ReferenceOut):
    """A node, and how it is now."""

    grade = serializers.ChoiceField(choices=GRADES, source="grade_now")


class ByOut(serializers.Serializer[Any]):
    """Who it was."""

    kind = serializers.CharField()
    id = serializers.CharField()
    name = serializers.CharField()


class JobOut(serializers.ModelSerializer[Job]):
    """A job. Null: not known. Protection is unknown where nobody was heard of lately."""

    tenant = serializers.UUIDField(source="tenant_id")
    cluster = ReferenceOut()
    state = serializers.ChoiceField(choices=JOB.states)
    protection = serializers.ChoiceField(choices=PROTECTIONS, source="protection_now")
    stale = serializers.BooleanField(source="is_stale")
    leader = serializers.SerializerMethodField()
    arguments = serializers.ListField(child=serializers.CharField())
    # names alone: values may be secrets
    environment_names = serializers.SerializerMethodField()
    standbys = serializers.ListField(child=serializers.CharField())
    placement_warnings = serializers.ListField(child=serializers.CharField())
    submitted_by = ByOut()

    class Meta:
        """Everything but the bookkeeping."""

        model = Job
        fields = (
            "id", "tenant", "cluster", "name", "state", "attached", "world_size",
            "standbys_wanted", "coordinators_wanted", "script", "arguments",
            "environment_names", "checkpoint_every_steps", "seed", "directory", "digest",
            "submitted_by", "created_at", "started_at", "stop_requested_at", "stop_reason",
            "ended_at", "end_reason", "placement_warnings", "reported_at", "stale", "leader",
            "phase", "epoch", "committed_step", "protection", "loss", "validation_loss",
            "step_time_s", "samples_per_s", "goodput", "standbys", "fence",
        )  # fmt: skip

    def get_leader(self, job: Job) -> str | None:
        """Coordinator that leads."""
        return job.leader or None

    def get_environment_names(self, job: Job) -> list[str]:
        """Variables that its processes get."""
        return sorted(job.environment)


class LossPointOut(serializers.Serializer[Any]):
    """What one committed step measured."""

    epoch = serializers.IntegerField()
    step = serializers.IntegerField()
    loss = serializers.FloatField(allow_null=True)
    validation_loss = serializers.FloatField(allow_null=True)
    step_s = serializers.FloatField(allow_null=True)


class CurveOut(serializers.Serializer[Any]):
    """A curve. Where points were left out, peaks, gaps and validation losses are all there."""

    points = LossPointOut(many=True)
    steps = serializers.IntegerField()
    thinned = serializers.BooleanField()
    truncated = serializers.BooleanField()


class StandingOut(serializers.Serializer[Standing]):
    """A member, and where it runs."""

    member = serializers.CharField()
    node = NodeRefOut(allow_null=True)


class RankRowOut(serializers.Serializer[RankRow]):
    """A rank. Null: not known."""

    rank = serializers.IntegerField()
    member = serializers.SerializerMethodField()
    node = serializers.SerializerMethodField()
    epoch_from = serializers.IntegerField(allow_null=True)
    # the first of its mirrors
    mirror = serializers.SerializerMethodField()
    mirrors = StandingOut(many=True)
    protection = serializers.ChoiceField(choices=PROTECTIONS)
    lag_steps = serializers.IntegerField(allow_null=True)

    def get_member(self, row: RankRow) -> str | None:
        """Member that owns it."""
        return None if row.owner is None else row.owner.member

    @extend_schema_field(NodeRefOut(allow_null=True))
    def get_node(self, row: RankRow) -> dict[str, Any] | None:
        """Node that it is on."""
        if row.owner is None or row.owner.node is None:
            return None
        return dict(NodeRefOut(row.owner.node).data)

    @extend_schema_field(StandingOut(allow_null=True))
    def get_mirror(self, row: RankRow) -> dict[str, Any] | None:
        """Member that mirrors it."""
        return dict(StandingOut(row.mirrors[0]).data) if row.mirrors else None


class MemberOut(serializers.ModelSerializer[Member]):
    """A process, as its agent said last."""

    node = ReferenceOut()
    role = serializers.ChoiceField(choices=[role.value for role in Role])
    state = serializers.ChoiceField(choices=MEMBER.states)

    class Meta:
        """Everything."""

        model = Member
        fields = (
            "id", "name", "node", "role", "rank", "state", "since", "pid", "exit_status",
            "lost_at", "lost_reason", "created_at",
        )  # fmt: skip


class JobEventOut(serializers.ModelSerializer[JobEvent]):
    """Something that happened."""

    id = serializers.CharField()
    member = serializers.SerializerMethodField()
    values = serializers.DictField(child=serializers.FloatField(allow_null=True))

    class Meta:
        """Everything but where it was read."""

        model = JobEvent
        fields = (
            "id", "sequence", "at", "kind", "epoch", "step", "rank", "member", "text", "values",
        )  # fmt: skip

    def get_member(self, event: JobEvent) -> str | None:
        """Member that it is about."""
        return event.member or None


class CommandOut(serializers.ModelSerializer[Command]):
    """What an agent was told, and what became of it."""

    node = ReferenceOut()
    state = serializers.ChoiceField(choices=COMMAND.states)
    result = serializers.DictField()

    class Meta:
        """Everything but the payload, which may hold secrets."""

        model = Command
        fields = (
            "id", "node", "kind", "fence", "state", "created_at", "deadline_at", "sent_at",
            "answered_at", "detail", "result",
        )  # fmt: skip


class CertificateOut(serializers.ModelSerializer[Certificate]):
    """Proof that a rank changed hands."""

    document = serializers.DictField()

    class Meta:
        """Everything."""

        model = Certificate
        fields = ("id", "swap", "document", "digest", "created_at")


class FoundJobOut(serializers.ModelSerializer[FoundJob]):
    """A job that runs without the plane, and could be attached."""

    node = ReferenceOut()

    class Meta:
        """Everything."""

        model = FoundJob
        fields = (
            "id", "node", "name", "directory", "world_size", "standbys", "script", "wanted",
            "seen_at",
        )  # fmt: skip

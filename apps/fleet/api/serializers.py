"""What the API says about a fleet."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.fleet.domain.grades import Grade
from apps.fleet.domain.rules import Direction, SignalKind
from apps.fleet.domain.signals import Source
from apps.fleet.domain.states import NodeState

GRADES = [grade.value for grade in Grade]
STATES = [state.value for state in NodeState]
SOURCES = [source.value for source in Source]


class NamedOut(serializers.Serializer[Any]):
    """Something with a name."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class ClusterOut(NamedOut):
    """A cluster, with the nodes of it that are visible."""

    nodes_count = serializers.IntegerField()


class DomainOut(NamedOut):
    """A failure domain."""

    kind = serializers.ChoiceField(choices=["rack", "power", "switch"])
    # what is declared here hides no attribute: the framework takes it out of the class
    parent = serializers.UUIDField(source="parent_id", allow_null=True)  # type: ignore[assignment]


class NodeClassOut(NamedOut):
    """A node class; null: not known."""

    vendor = serializers.CharField()
    accelerators = serializers.IntegerField(allow_null=True)
    memory_gib = serializers.IntegerField(allow_null=True)
    tdp_w = serializers.IntegerField(allow_null=True)


class RankOut(serializers.Serializer[Any]):
    """A rank that a node holds; null: a standby."""

    job = serializers.UUIDField(source="job_id")
    job_name = serializers.CharField()
    rank = serializers.IntegerField(allow_null=True)


class TileOut(serializers.Serializer[Any]):
    """A node, as far as a picture of its cluster shows it."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    is_spare = serializers.BooleanField()
    reserved_for = serializers.CharField(allow_null=True)
    # as it is now: unknown if the report is stale
    grade = serializers.ChoiceField(choices=GRADES, source="grade_now")
    # there is a report, and it is too old
    stale = serializers.BooleanField(source="is_stale")
    # null if there is no report
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=SOURCES, source="source_now", allow_null=True
    )
    reported_at = serializers.DateTimeField(allow_null=True)
    rank_of = serializers.SerializerMethodField()

    @extend_schema_field(RankOut(many=True))
    def get_rank_of(self, node: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a node of nodes_at
        """Ranks that it holds."""
        held = self.context["ranks"].get(node.id, ())
        return [dict(RankOut(each).data) for each in held]


class NodeOut(TileOut):
    """A node as it is listed."""

    tenant = serializers.UUIDField(source="tenant_id")
    cluster = NamedOut()
    node_class = NodeClassOut()
    # null if not known
    rack = NamedOut(allow_null=True)
    address = serializers.CharField()
    state_reason = serializers.CharField()
    state_at = serializers.DateTimeField()


class DeviceOut(serializers.Serializer[Any]):
    """An accelerator; empty or null: not known."""

    kind = serializers.CharField()
    index = serializers.IntegerField()
    model = serializers.CharField()
    uuid = serializers.CharField()
    memory_nbytes = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=["present", "missing"])
    state_at = serializers.DateTimeField()


class ContributionOut(serializers.Serializer[Any]):
    """What one signal says about its node."""

    name = serializers.CharField()
    # null if not known
    figure = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()
    # null: the rule has no opinion about it
    grade = serializers.ChoiceField(choices=GRADES, allow_null=True)
    # null if the report does not hold it
    source = serializers.ChoiceField(choices=SOURCES, allow_null=True)  # type: ignore[assignment]
    required = serializers.BooleanField()  # type: ignore[assignment]
    reason = serializers.CharField()


class VerdictOut(serializers.Serializer[Any]):
    """Why a node has its grade."""

    grade = serializers.ChoiceField(choices=GRADES)
    rule_version = serializers.IntegerField()
    reason = serializers.CharField()
    contributions = ContributionOut(many=True)


class AllowedOut(serializers.Serializer[Any]):
    """A state that one could ask for."""

    action = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    enabled = serializers.BooleanField()
    # why not; null: it can be done
    reason = serializers.CharField(allow_null=True)


class NodeDetailOut(NodeOut):
    """Everything about a node but its history."""

    domains = DomainOut(many=True, source="all_domains")
    devices = DeviceOut(many=True, source="all_devices")
    firmware = serializers.DictField(child=serializers.CharField())
    verdict = VerdictOut()
    allowed = AllowedOut(many=True)


class RackOut(serializers.Serializer[Any]):
    """A rack with its nodes; null: nobody knows where they stand."""

    rack = DomainOut(allow_null=True)
    # domains of other kinds that all of its nodes are in
    shared = DomainOut(many=True)
    nodes = TileOut(many=True)


class LayoutOut(serializers.Serializer[Any]):
    """A cluster as it stands."""

    cluster = NamedOut()
    racks = RackOut(many=True)
    domains = DomainOut(many=True)
    # ids of nodes by id of the domain, those within inner domains included
    nodes_by_domain = serializers.DictField(
        child=serializers.ListField(child=serializers.UUIDField())
    )


class ActorOut(serializers.Serializer[Any]):
    """Who did something."""

    kind = serializers.CharField()
    id = serializers.CharField()
    name = serializers.CharField()


class NodeEventOut(serializers.Serializer[Any]):
    """Something that has happened to a node."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    kind = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    actor = ActorOut()
    reason = serializers.CharField()


class PointOut(serializers.Serializer[Any]):
    """A point of a line; null: a gap."""

    at = serializers.DateTimeField()
    value = serializers.FloatField(allow_null=True)


class ThresholdsOut(serializers.Serializer[Any]):
    """Where a signal's grades begin; null: never."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in SignalKind])
    direction = serializers.ChoiceField(choices=[each.value for each in Direction])
    medium = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    critical = serializers.FloatField(allow_null=True)
    origin = serializers.CharField()


class LineOut(serializers.Serializer[Any]):
    """One signal over time."""

    name = serializers.CharField()
    unit = serializers.CharField()
    source = serializers.ChoiceField(choices=SOURCES)  # type: ignore[assignment]
    # null: the rule has none
    thresholds = ThresholdsOut(source="rule", allow_null=True)
    points = PointOut(many=True)


class SignalsOut(serializers.Serializer[Any]):
    """Signals of a node over time."""

    start = serializers.DateTimeField()
    end = serializers.DateTimeField()
    signals = LineOut(many=True)


class SpareOut(serializers.Serializer[Any]):
    """What is to be said about a spare that might take over."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    # why it cannot be taken; null: it can
    refusal = serializers.CharField(allow_null=True)
    drawbacks = serializers.ListField(child=serializers.CharField())


class FieldChangeOut(serializers.Serializer[Any]):
    """A field that becomes another."""

    name = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()


class ChangeOut(serializers.Serializer[Any]):
    """One thing that an import adds or changes."""

    action = serializers.ChoiceField(choices=["add", "change"])
    what = serializers.ChoiceField(choices=["class", "domain", "node"])
    name = serializers.CharField()
    fields_changed = FieldChangeOut(many=True, source="fields")


class ImportOut(serializers.Serializer[Any]):
    """What an import does, or has done."""

    cluster = serializers.CharField()
    applied = serializers.BooleanField()
    changes = ChangeOut(many=True, source="plan.changes")
    kept = serializers.IntegerField(source="plan.kept")
    notes = serializers.ListField(child=serializers.CharField(), source="plan.notes")


class RuleOut(ThresholdsOut):
    """Thresholds of a signal."""

    name = serializers.CharField()
    unit = serializers.CharField()
    required = serializers.BooleanField()  # type: ignore[assignment]


class RuleBookOut(serializers.Serializer[Any]):
    """The rule that makes grades."""

    version = serializers.IntegerField()
    signals = RuleOut(many=True)

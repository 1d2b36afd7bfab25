"""Swaps, as the API shows them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.core import canonical, clock
from apps.core.access import Role
from apps.fleet.models import Node
from apps.jobs.models import Certificate
from apps.swaps.domain.allowed import allowed_in
from apps.swaps.domain.limits import REASON_LENGTH_MAX
from apps.swaps.domain.states import State
from apps.swaps.models import Hold, Swap, SwapEvent, SwapLimit
from apps.swaps.selectors.swaps import band_shown, node_ref, phases_of, plan_shown

#: Largest number of a rank that is looked up at all.
RANK_MAX = 1_000_000


class ActorRefSerializer(serializers.Serializer[Any]):
    """Who acted."""

    kind = serializers.CharField()
    id = serializers.CharField(allow_blank=True)
    name = serializers.CharField()


class SwapNodeSerializer(serializers.Serializer[Any]):
    """A node that a swap touches."""

    id = serializers.CharField()
    name = serializers.CharField()
    grade = serializers.CharField()


class SwapJobSerializer(serializers.Serializer[Any]):
    """The job of a swap."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class SwapSummarySerializer(serializers.ModelSerializer[Swap]):
    """One line of the list."""

    tenant = serializers.UUIDField(source="tenant_id")
    job = SwapJobSerializer()
    proposer = ActorRefSerializer()
    source_node = serializers.SerializerMethodField()
    target_node = serializers.SerializerMethodField()
    pause_budget_ms = serializers.SerializerMethodField()

    class Meta:
        """What is shown."""

        model = Swap
        fields: tuple[str, ...] = (
            "id",
            "tenant",
            "job",
            "rank",
            "kind",
            "state",
            "source_node",
            "target_node",
            "proposer",
            "reason",
            "created_at",
            "state_at",
            "deadline_at",
            "ended_at",
            "pause_ms",
            "stall_ms",
            "pause_budget_ms",
            "steps_lost",
        )

    @extend_schema_field(SwapNodeSerializer(allow_null=True))
    def get_source_node(self, swap: Swap) -> dict[str, str] | None:
        """Return the node that hands over."""
        return self._node(swap.source_node)

    @extend_schema_field(SwapNodeSerializer(allow_null=True))
    def get_target_node(self, swap: Swap) -> dict[str, str] | None:
        """Return the node that takes over."""
        return self._node(swap.target_node)

    def get_pause_budget_ms(self, swap: Swap) -> int | None:
        """Return the longest pause that was promised; nobody promises one for a loss."""
        return swap.pause_budget_ms if swap.kind == "planned" else None

    def _node(self, node: Node | None) -> dict[str, str] | None:
        return node_ref(node, now=clock.now())


class SwapBandSerializer(serializers.Serializer[Any]):
    """The band that the loss has to keep."""

    series = serializers.CharField()
    center = serializers.FloatField()
    half_width = serializers.FloatField()
    rule = serializers.CharField()
    points = serializers.IntegerField()


class SwapConstraintSerializer(serializers.Serializer[Any]):
    """One thing that was checked; ``ok`` null: not known."""

    name = serializers.CharField()
    required = serializers.BooleanField()  # type: ignore[assignment] # a field of that name
    ok = serializers.BooleanField(allow_null=True)
    text = serializers.CharField()


class SwapPlanSerializer(serializers.Serializer[Any]):
    """The plan in words, and the document that is approved by its digest."""

    reservation = serializers.CharField()
    blast_radius = serializers.CharField(allow_null=True)
    constraints = SwapConstraintSerializer(many=True)
    document = serializers.JSONField()


class SwapPhaseSerializer(serializers.Serializer[Any]):
    """A state that the swap is or was in."""

    state = serializers.CharField()
    entered_at = serializers.DateTimeField()
    left_at = serializers.DateTimeField(allow_null=True)
    actor = ActorRefSerializer()
    deadline_at = serializers.DateTimeField(allow_null=True)


class SwapAllowedSerializer(serializers.Serializer[Any]):
    """A button."""

    action = serializers.CharField()
    enabled = serializers.BooleanField()
    reason = serializers.CharField(allow_null=True)


class SwapFailureSerializer(serializers.Serializer[Any]):
    """Why it did not succeed."""

    code = serializers.CharField()
    text = serializers.CharField(allow_blank=True)


class SwapSerializer(SwapSummarySerializer):
    """One swap with everything about it."""

    evidence = serializers.JSONField()
    plan = serializers.SerializerMethodField()
    plan_digest = serializers.SerializerMethodField()
    approval = serializers.UUIDField(source="approval_id", allow_null=True)
    runtime_swap_id = serializers.SerializerMethodField()
    band = serializers.SerializerMethodField()
    failure = SwapFailureSerializer(allow_null=True)
    certificate = serializers.UUIDField(source="certificate_id", allow_null=True)
    phases = serializers.SerializerMethodField()
    allowed = serializers.SerializerMethodField()

    class Meta(SwapSummarySerializer.Meta):
        """What is shown besides."""

        fields = (
            *SwapSummarySerializer.Meta.fields,
            "source_member",
            "target_member",
            "evidence",
            "evidence_digest",
            "plan",
            "plan_digest",
            "approval",
            "runtime_swap_id",
            "runtime_phase",
            "waiting_for",
            "abort_reason",
            "watch_from_step",
            "watch_steps",
            "band",
            "failure",
            "certificate",
            "phases",
            "allowed",
        )

    @extend_schema_field(SwapPlanSerializer(allow_null=True))
    def get_plan(self, swap: Swap) -> dict[str, Any] | None:
        """Return the plan; null: none was made."""
        return plan_shown(swap)

    def get_plan_digest(self, swap: Swap) -> str | None:
        """Return what an approval has to name; null: there is no plan."""
        return swap.plan_digest or None

    def get_runtime_swap_id(self, swap: Swap) -> str | None:
        """Return the coordinator's id; null: not known yet."""
        return swap.runtime_swap_id or None

    @extend_schema_field(SwapBandSerializer(allow_null=True))
    def get_band(self, swap: Swap) -> dict[str, Any] | None:
        """Return the registered band; null: too little was known."""
        return band_shown(swap)

    @extend_schema_field(SwapPhaseSerializer(many=True))
    def get_phases(self, swap: Swap) -> list[dict[str, Any]]:
        """Return the states that it has been in."""
        return [dict(SwapPhaseSerializer(each).data) for each in phases_of(swap)]

    @extend_schema_field(SwapAllowedSerializer(many=True))
    def get_allowed(self, swap: Swap) -> list[dict[str, Any]]:
        """Return what who asks can do."""
        is_operator = self.context["view"].actor.may(swap.tenant_id, Role.OPERATOR)
        buttons = allowed_in(state=State(swap.state), is_operator=is_operator)
        return [dict(SwapAllowedSerializer(each).data) for each in buttons]


class SwapEventSerializer(serializers.ModelSerializer[SwapEvent]):
    """One line of a swap's history."""

    id = serializers.CharField()
    from_state = serializers.SerializerMethodField()
    actor = ActorRefSerializer()

    class Meta:
        """What is shown."""

        model = SwapEvent
        fields = (
            "id",
            "sequence",
            "at",
            "from_state",
            "to_state",
            "action",
            "actor",
            "deadline_at",
            "detail",
        )

    def get_from_state(self, event: SwapEvent) -> str | None:
        """Return the state before; null: it is the first."""
        return event.from_state or None


class ProposalSerializer(serializers.Serializer[Any]):
    """What somebody wants."""

    job = serializers.UUIDField()
    rank = serializers.IntegerField(min_value=0, max_value=RANK_MAX)
    target_node = serializers.UUIDField(required=False, allow_null=True, default=None)
    reason = serializers.CharField(max_length=REASON_LENGTH_MAX)


class AbortSerializer(serializers.Serializer[Any]):
    """Give it up."""

    reason = serializers.CharField(
        max_length=REASON_LENGTH_MAX, required=False, allow_blank=True, default=""
    )


class CertificateSerializer(serializers.Serializer[Certificate]):
    """Proof that the rank changed hands."""

    id = serializers.UUIDField()
    digest = serializers.CharField()
    document = serializers.JSONField()
    verified = serializers.SerializerMethodField()

    def get_verified(self, row: Certificate) -> bool:
        """Tell whether the document still has the digest that was written down with it."""
        return canonical.digest(row.document) == row.digest


class BrakeSerializer(serializers.Serializer[Any]):
    """Whether new planned swaps are stopped."""

    tenant = serializers.UUIDField()
    engaged = serializers.BooleanField()
    engaged_by = ActorRefSerializer(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField(allow_null=True)


class BrakeWishSerializer(serializers.Serializer[Any]):
    """How the brake is to be."""

    tenant = serializers.UUIDField(required=False, allow_null=True, default=None)
    engaged = serializers.BooleanField()
    reason = serializers.CharField(
        max_length=REASON_LENGTH_MAX,
        required=False,
        allow_blank=True,
        allow_null=True,
        default="",
    )


class LimitsSerializer(serializers.ModelSerializer[SwapLimit]):
    """How many planned swaps may be under way at once."""

    tenant = serializers.UUIDField(source="tenant_id", required=False, allow_null=True)

    class Meta:
        """What is shown."""

        model = SwapLimit
        fields = ("tenant", "per_job", "per_rack", "per_tenant")


class HoldSerializer(serializers.ModelSerializer[Hold]):
    """A rank for which nothing is tried any more."""

    tenant = serializers.UUIDField(source="tenant_id")
    job = SwapJobSerializer()
    released_by = ActorRefSerializer(allow_null=True)

    class Meta:
        """What is shown."""

        model = Hold
        fields = (
            "id",
            "tenant",
            "job",
            "rank",
            "cause",
            "created_at",
            "released_at",
            "released_by",
        )

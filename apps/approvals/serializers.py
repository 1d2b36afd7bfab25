"""Requests for approval, as the API shows them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.approvals.domain.limits import REASON_LENGTH_MAX
from apps.approvals.models import Request
from apps.approvals.selectors import person_behind, who_could_approve, why_cannot
from apps.core import clock
from apps.core.access import Actor


class ActorField(serializers.Serializer[dict[str, str]]):
    """Who acted."""

    kind = serializers.CharField()
    id = serializers.CharField(allow_blank=True)
    name = serializers.CharField()


class RequestSerializer(serializers.ModelSerializer[Request]):
    """One line of the list."""

    tenant = serializers.UUIDField(source="tenant_id")
    proposer = ActorField()
    decided_by = ActorField(allow_null=True)
    may_decide = serializers.SerializerMethodField()
    why_not = serializers.SerializerMethodField()

    class Meta:
        """What is shown."""

        model = Request
        fields = (
            "id",
            "tenant",
            "subject_kind",
            "subject_id",
            "plan_digest",
            "evidence_digest",
            "summary",
            "proposer",
            "state",
            "created_at",
            "expires_at",
            "decided_by",
            "decided_at",
            "reason",
            "executed_at",
            "may_decide",
            "why_not",
        )

    def get_may_decide(self, row: Request) -> bool:
        """Tell whether who asks can decide it now."""
        return self._why_not(row) is None

    def get_why_not(self, row: Request) -> str | None:
        """Say why who asks can't decide it; null: they can."""
        return self._why_not(row)

    def _why_not(self, row: Request) -> str | None:
        actor = self.context["view"].actor
        return why_cannot(actor=actor, request=row, now=clock.now(), person=self._person(actor))

    def _person(self, actor: Actor) -> str:
        """Return the person behind who asks, looked up once for a whole list."""
        known = getattr(self.root, "_asking_person", None)
        if known is None:
            known = person_behind(actor)
            self.root._asking_person = known  # type: ignore[attr-defined] # noqa: SLF001 - ours
        return str(known)


class PersonSerializer(serializers.Serializer[dict[str, str]]):
    """Somebody who could decide."""

    id = serializers.CharField()
    name = serializers.CharField()


class RequestDetailSerializer(RequestSerializer):
    """One request with everything that is decided about."""

    document = serializers.JSONField()
    who_could = serializers.SerializerMethodField()

    class Meta(RequestSerializer.Meta):
        """What is shown besides."""

        fields = (*RequestSerializer.Meta.fields, "document", "who_could")  # type: ignore[assignment] # a longer tuple

    @extend_schema_field(PersonSerializer(many=True))
    def get_who_could(self, row: Request) -> list[dict[str, str]]:
        """Name those who could decide."""
        return who_could_approve(row)


class ApproveSerializer(serializers.Serializer[Any]):
    """Yes, to exactly this plan."""

    plan_digest = serializers.CharField(max_length=71)
    reason = serializers.CharField(
        max_length=REASON_LENGTH_MAX, required=False, allow_blank=True, default=""
    )


class RefuseSerializer(serializers.Serializer[Any]):
    """No, and why."""

    plan_digest = serializers.CharField(max_length=71)
    reason = serializers.CharField(max_length=REASON_LENGTH_MAX)

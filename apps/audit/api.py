"""The trail, for those who audit a tenant."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.models import AuditEntry
from apps.audit.selectors import audit_verify
from apps.core import canonical
from apps.core.access import Role
from apps.core.api import TenantView

KNOWN_ENTRIES_MAX = 100


class EntryActor(serializers.Serializer[Any]):
    """Who did it."""

    kind = serializers.CharField()
    id = serializers.CharField()
    name = serializers.CharField()


class Entry(serializers.ModelSerializer[AuditEntry]):
    """One entry: as columns, and the text whose digest the next one holds."""

    tenant = serializers.UUIDField(source="tenant_id")
    actor = serializers.SerializerMethodField()
    detail = serializers.SerializerMethodField()

    class Meta:
        """What is shown."""

        model = AuditEntry
        fields = (
            "id",
            "tenant",
            "sequence",
            "at",
            "actor",
            "action",
            "subject",
            "detail",
            "digest",
            "body",
        )
        read_only_fields = fields

    @extend_schema_field(EntryActor)
    def get_actor(self, entry: AuditEntry) -> dict[str, str]:
        """Who did it."""
        return {"kind": entry.actor_kind, "id": entry.actor_id, "name": entry.actor_name}

    def get_detail(self, entry: AuditEntry) -> dict[str, Any]:
        """What the action says about itself; empty where the body can't be read."""
        body = canonical.decode(entry.body)
        detail = body.get("detail") if isinstance(body, dict) else None
        return detail if isinstance(detail, dict) else {}


class KnownEntry(serializers.Serializer[Any]):
    """An entry that was kept elsewhere, from an earlier look."""

    sequence = serializers.IntegerField(min_value=1, max_value=2**62)
    digest = serializers.CharField(max_length=71)


class VerifyAsked(serializers.Serializer[Any]):
    """Which chain, and what is known of it."""

    tenant = serializers.UUIDField(required=False)
    known = serializers.ListField(child=KnownEntry(), required=False, max_length=KNOWN_ENTRIES_MAX)


class HeadShown(serializers.Serializer[Any]):
    """The end of a chain: keep it elsewhere, and give it as known the next time."""

    sequence = serializers.IntegerField()
    digest = serializers.CharField()
    signature = serializers.CharField()


class VerdictShown(serializers.Serializer[Any]):
    """What a look at a whole chain has found."""

    tenant = serializers.UUIDField()
    ok = serializers.BooleanField()
    entries = serializers.IntegerField()
    first_bad = serializers.IntegerField(allow_null=True)
    problem = serializers.CharField(allow_blank=True)
    head = HeadShown(allow_null=True)


class Audited(TenantView[AuditEntry]):
    """Entries of the tenants that one audits."""

    queryset: QuerySet[AuditEntry] = AuditEntry.objects.all()
    serializer_class = Entry
    required_role = {"*": Role.AUDITOR}
    required_scope = {"*": "audit:read"}
    filter_fields = {
        "subject": "subject",
        "actor": "actor_id",
        "actor_name": "actor_name",
        "action": "action",
        "from": "at__gte",
        "to": "at__lt",
    }


class AuditList(ListModelMixin, Audited):
    """The trail."""

    def get(self, request: Request) -> Response:
        """Entries of the tenants that one audits, newest first."""
        return self.list(request)


class AuditVerify(Audited):
    """A look at a whole chain."""

    @extend_schema(request=VerifyAsked, responses=VerdictShown)
    def post(self, request: Request) -> Response:
        """Check every entry of a tenant's chain, and its head."""
        given = VerifyAsked(data=request.data)
        given.is_valid(raise_exception=True)
        tenant_id = self.tenant_for_new(given.validated_data.get("tenant"))
        known = {one["sequence"]: one["digest"] for one in given.validated_data.get("known", [])}
        verdict = audit_verify(tenant_id=tenant_id, known=known)
        shown = {
            "tenant": tenant_id,
            "ok": verdict.ok,
            "entries": verdict.entries,
            "first_bad": verdict.first_bad,
            "problem": verdict.problem,
            "head": verdict.head,
        }
        return Response(VerdictShown(shown).data)

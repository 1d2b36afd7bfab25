"""A view of rows that is not part of the product, to look at what its base does."""

from typing import Any
from uuid import UUID

from django.urls import path
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import Agent
from apps.core.access import Role
from apps.core.api import PlaneView, TenantView
from apps.core.errors import Conflict, LimitReached


class Row(serializers.ModelSerializer[Agent]):
    """A row."""

    class Meta:
        """What is shown."""

        model = Agent
        fields = ("id", "tenant", "node")
        read_only_fields = fields


class RowList(ListModelMixin, TenantView[Agent]):
    """Rows, which operators make."""

    queryset = Agent.objects.all()
    serializer_class = Row
    filter_fields = {"node": "node", "id": "id"}  # noqa: RUF012 - read, never written
    required_scope = {"POST": "fleet:write"}  # noqa: RUF012 - as above

    def get(self, request: Request) -> Response:
        return self.list(request)

    def post(self, request: Request) -> Response:
        given = dict(request.data)
        tenant = given.get("tenant")
        tenant_id = self.tenant_for_new(UUID(tenant) if tenant else None)
        node = given["node"]
        count = Agent.objects.count()
        if node == "refused":
            raise Conflict("There is one.", extra={"count": count})
        row = Agent.objects.create(
            tenant_id=tenant_id,
            node=node,
            serial=str(count),
            fingerprint=str(count),
            certificate_expires_at="2027-01-01T00:00:00Z",
            created_at="2026-01-01T00:00:00Z",
        )
        return Response(Row(row).data, status=201)


class RowDetail(TenantView[Agent]):
    """One row, which administrators delete."""

    queryset = Agent.objects.all()
    serializer_class = Row
    required_role = {"DELETE": Role.ADMIN}  # noqa: RUF012 - as above

    def get(self, request: Request, id: UUID) -> Response:  # noqa: A002, ARG002 - as the address calls it
        return Response(self.get_serializer(self.get_object()).data)

    def delete(self, request: Request, id: UUID) -> Response:  # noqa: A002, ARG002 - as above
        self.get_object().delete()
        return Response(status=204)


class Failing(PlaneView):
    """Fails as it is told."""

    required_role = {"*": None}  # noqa: RUF012 - as above
    required_scope = {"*": "read"}  # noqa: RUF012 - as above

    def get(self, request: Request) -> Response:
        errors: dict[str, Exception] = {
            "limit": LimitReached("Too many swaps.", retry_after_s=1.5),
            "fault": ZeroDivisionError("secret"),
            "fields": serializers.ValidationError(
                {"rows": [{}, {"name": ["Too long."]}], "at": ["No time."]}
            ),
            "whole": serializers.ValidationError("Nonsense."),
        }
        raise errors[str(request.query_params["how"])]


urlpatterns: list[Any] = [
    path("rows", RowList.as_view()),
    path("rows/<uuid:id>", RowDetail.as_view()),
    path("failing", Failing.as_view()),
]

handler404 = "controlplane.views.unknown_path"
handler500 = "controlplane.views.fault"

"""REST: fleets that come from other systems."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.access import Role
from apps.core.api import PlaneView
from apps.core.clock import now
from apps.fleet.api.requests import FleetIn
from apps.fleet.api.serializers import ImportOut
from apps.fleet.services.imports import Import, fleet_import


class ImportView(PlaneView):
    """A fleet as another system writes it down."""

    required_role: ClassVar = {"POST": Role.ADMIN}
    required_scope: ClassVar = {"POST": "fleet:write"}

    @extend_schema(operation_id="fleet_import", request=FleetIn, responses=ImportOut)
    def post(self, request: Request) -> Response:
        """Bring it in, or say what that would change."""
        given = FleetIn(data=request.data)
        given.is_valid(raise_exception=True)
        values = given.validated_data
        done = fleet_import(
            given=Import(
                tenant_id=self.tenant_for_new(values["tenant"]),
                form=values["format"],
                text=values["text"],
                cluster=values["cluster"] or None,
            ),
            dry_run=values["dry_run"],
            actor=self.actor,
            at=now(),
        )
        return Response(ImportOut(done).data)

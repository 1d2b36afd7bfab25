"""The brake, the limits and held ranks over REST."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import clock
from apps.core.access import Role
from apps.core.api import PlaneView, TenantView
from apps.core.errors import Invalid
from apps.swaps.api.serializers import (
    BrakeSerializer,
    BrakeWishSerializer,
    HoldSerializer,
    LimitsSerializer,
)
from apps.swaps.domain.blast import Radius
from apps.swaps.models import Brake, Hold
from apps.swaps.selectors.controls import brake_of, radius_of
from apps.swaps.services.controls import Wanted, brake_set, hold_release, limits_set

_WRITING: dict[str, str] = {"POST": "swaps:write", "PUT": "swaps:write"}


class _OneTenantView(PlaneView):
    """A view of something that a tenant has one of."""

    required_scope: ClassVar[dict[str, str]] = _WRITING

    def one_tenant(self) -> UUID:
        """Return ``?tenant=``, or the only one that is visible."""
        tenants = sorted(self.tenants())
        if len(tenants) != 1:
            raise Invalid(fields={"tenant": ["Say of which tenant."]})
        return tenants[0]


def _brake_shown(tenant_id: UUID, brake: Brake | None) -> Response:
    shown = {
        "tenant": tenant_id,
        "engaged": brake is not None,
        "engaged_by": None if brake is None else brake.engaged_by,
        "reason": None if brake is None else brake.reason,
        "at": None if brake is None else brake.created_at,
    }
    return Response(BrakeSerializer(shown).data)


class BrakeView(_OneTenantView):
    """Stops new planned swaps of a tenant; recoveries go on."""

    @extend_schema(responses=BrakeSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the framework passes it
        """Show whether the brake is on."""
        tenant_id = self.one_tenant()
        return _brake_shown(tenant_id, brake_of(tenant_id=tenant_id))

    @extend_schema(request=BrakeWishSerializer, responses=BrakeSerializer)
    def put(self, request: Request) -> Response:
        """Engage or release it."""
        body = BrakeWishSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        given = body.validated_data
        tenant_id = self.tenant_for_new(given["tenant"])
        wanted = Wanted(engaged=given["engaged"], reason=given["reason"] or "")
        brake = brake_set(tenant_id=tenant_id, wanted=wanted, actor=self.actor, now=clock.now())
        return _brake_shown(tenant_id, brake)


class LimitsView(_OneTenantView):
    """How many planned swaps of a tenant may be under way at once."""

    required_role: ClassVar[dict[str, Role | None]] = {"PUT": Role.ADMIN}

    @extend_schema(responses=LimitsSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the framework passes it
        """Show the limits."""
        tenant_id = self.one_tenant()
        return Response(_limits_shown(tenant_id, radius_of(tenant_id=tenant_id)))

    @extend_schema(request=LimitsSerializer, responses=LimitsSerializer)
    def put(self, request: Request) -> Response:
        """Set the limits."""
        body = LimitsSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        given = dict(body.validated_data)
        tenant_id = self.tenant_for_new(given.pop("tenant_id", None))
        radius = Radius(**given)
        limits_set(tenant_id=tenant_id, radius=radius, actor=self.actor, now=clock.now())
        return Response(_limits_shown(tenant_id, radius))


def _limits_shown(tenant_id: UUID, radius: Radius) -> dict[str, Any]:
    return {
        "tenant": str(tenant_id),
        "per_job": radius.per_job,
        "per_rack": radius.per_rack,
        "per_tenant": radius.per_tenant,
    }


class HoldsView(ListModelMixin, TenantView[Hold]):
    """Ranks that the stop-loss holds or held, newest first."""

    queryset = Hold.objects.select_related("job")
    serializer_class = HoldSerializer
    filter_fields: ClassVar[dict[str, str]] = {"job": "job_id", "open": "released_at__isnull"}

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - passed on
        """List holds."""
        return self.list(request, *args, **kwargs)


class HoldReleaseView(TenantView[Hold]):
    """Let swaps of a held rank be proposed again."""

    queryset = Hold.objects.select_related("job")
    serializer_class = HoldSerializer
    required_scope: ClassVar[dict[str, str]] = _WRITING

    @extend_schema(request=None, responses=HoldSerializer)
    def post(self, request: Request, id: UUID) -> Response:  # noqa: ARG002 - get_object reads it
        """Release one."""
        hold = hold_release(hold_id=self.get_object().id, actor=self.actor, now=clock.now())
        return Response(HoldSerializer(hold).data)

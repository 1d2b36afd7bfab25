"""Views that know who asks. A view translates: in, one call of a service or selector, out."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Final, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.core.access import Actor, Role, visible_tenants
from apps.core.api.filters import FieldFilter
from apps.core.api.idempotency import repeatable
from apps.core.api.pagination import Pages
from apps.core.errors import Forbidden, Invalid, NotFound
from apps.core.permissions import MayAsk

M = TypeVar("M", bound=Model)

TENANT_PARAMETER: Final = "tenant"


class PlaneView(APIView):
    """A view of the API for somebody who is signed in.

    ``required_role`` and ``required_scope`` map methods to what they take; "*" stands for all that
    are not named. By default reading takes any role and scope ``read``, and writing the role
    ``operator`` and scope ``admin``: a view that writes names its scope. A role of None means that
    signing in is enough.
    """

    required_role: ClassVar[Mapping[str, Role | None]] = {}
    required_scope: ClassVar[Mapping[str, str]] = {}
    permission_classes = (MayAsk,)

    def __init_subclass__(cls, **kwargs: Any) -> None:  # noqa: ANN401 - passed on
        """Let every POST be sent again with its Idempotency-Key."""
        super().__init_subclass__(**kwargs)
        if "post" in cls.__dict__:
            cls.post = repeatable(cls.post)  # type: ignore[attr-defined] # looked up above

    def role_for(self, method: str) -> Role | None:
        """Return the role that a method takes."""
        default = Role.VIEWER if method in SAFE_METHODS else Role.OPERATOR
        return self.required_role.get(method, self.required_role.get("*", default))

    def scope_for(self, method: str) -> str:
        """Return the scope that a method takes."""
        default = "read" if method in SAFE_METHODS else "admin"
        return self.required_scope.get(method, self.required_scope.get("*", default))

    @property
    def actor(self) -> Actor:
        """Who asks."""
        actor = self.request.auth
        assert isinstance(actor, Actor)
        return actor

    def require(self, tenant_id: UUID, role: Role | None = None) -> None:
        """Refuse the request unless the actor has a role in a tenant.

        Args:
            tenant_id: where.
            role: the one that the method takes if None.

        Raises:
            NotFound: if the actor may not even see what is in the tenant.
            Forbidden: if they may look, and no more.
        """
        role = role or self.role_for(self.request.method or "GET") or Role.VIEWER
        if not self.actor.may(tenant_id, Role.VIEWER):
            raise NotFound
        if not self.actor.may(tenant_id, role):
            raise Forbidden(f"This takes the role {role}.", who_can=[role.value])

    def tenants(self) -> Collection[UUID]:
        """Return the tenants that the request is about: all that are visible, or ``?tenant=``."""
        visible = visible_tenants(self.actor)
        asked = self.request.query_params.get(TENANT_PARAMETER)
        if not asked:
            return visible
        try:
            return visible & {UUID(asked)}
        except ValueError as error:
            raise Invalid(fields={TENANT_PARAMETER: ["Not an id."]}) from error

    def tenant_for_new(self, given: UUID | None) -> UUID:
        """Return the tenant of what a request makes: the given one, or the only possible one.

        Raises:
            NotFound: if the given one is not visible.
            Forbidden: if the actor may not make anything there.
            Invalid: if none is given, and there are several.
        """
        if given is None:
            role = self.role_for(self.request.method or "POST") or Role.VIEWER
            possible = [tenant for tenant in self.actor.roles if self.actor.may(tenant, role)]
            if len(possible) != 1:
                raise Invalid(fields={TENANT_PARAMETER: ["Say in which tenant."]})
            return possible[0]
        self.require(given)
        return given


class TenantView(PlaneView, GenericAPIView[M]):
    """A view of rows that belong to a tenant: those of others do not exist for the actor.

    ``queryset`` is narrowed to the visible tenants by ``tenant_field``, a lookup from the row to
    its tenant's id. ``get_object`` answers 404 for what is not visible, and refuses a method whose
    role the actor lacks in that row's tenant.
    """

    tenant_field: ClassVar[str] = "tenant_id"
    # query parameter -> lookup
    filter_fields: ClassVar[Mapping[str, str]] = {}
    # what the list is sorted by; the last one is unique
    ordering: ClassVar[tuple[str, ...]] = ("-id",)
    pagination_class = Pages
    filter_backends = (FieldFilter,)
    lookup_field = "id"

    def get_queryset(self) -> QuerySet[M]:
        """Return the rows that the actor may see."""
        rows = super().get_queryset()
        # the schema is made without a request
        if getattr(self, "swagger_fake_view", False):
            return rows.none()
        return rows.filter(**{f"{self.tenant_field}__in": self.tenants()})

    def tenants(self) -> Collection[UUID]:
        """Return the tenants whose rows are shown: where the actor may do what reading takes."""
        role = self.role_for("GET") or Role.VIEWER
        return {tenant for tenant in super().tenants() if self.actor.may(tenant, role)}

    def check_object_permissions(self, request: Request, obj: Any) -> None:  # noqa: ANN401 - any row
        """Refuse a method whose role the actor lacks in the row's tenant."""
        super().check_object_permissions(request, obj)
        if self.role_for(request.method or "GET") is not None:
            self.require(self.tenant_of(obj))

    def tenant_of(self, row: Any) -> UUID:  # noqa: ANN401 - any row
        """Return the tenant of a row, along ``tenant_field``."""
        value = row
        for name in self.tenant_field.split("__"):
            value = getattr(value, name)
        assert isinstance(value, UUID)
        return value

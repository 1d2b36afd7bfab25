"""Tenants, and who is what in them."""

from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import Membership, Tenant, User
from apps.accounts.services import membership_remove, membership_set
from apps.core import clock
from apps.core.access import Role
from apps.core.api import TenantView
from apps.core.errors import Invalid

ROLES = [role.value for role in Role]


class TenantShown(serializers.ModelSerializer[Tenant]):
    """A tenant."""

    class Meta:
        """What is shown."""

        model = Tenant
        fields = ("id", "slug", "name", "created_at")
        read_only_fields = fields


class Member(serializers.ModelSerializer[Membership]):
    """A person in a tenant."""

    username = serializers.CharField(source="user.username")
    display_name = serializers.CharField(source="user.display_name")
    roles = serializers.ListField(child=serializers.ChoiceField(ROLES))

    class Meta:
        """What is shown."""

        model = Membership
        fields = ("id", "tenant", "user", "username", "display_name", "roles", "created_at")
        read_only_fields = fields


class NewMember(serializers.Serializer[None]):
    """Who is to be what."""

    tenant = serializers.UUIDField(required=False)
    username = serializers.CharField(max_length=150)
    roles = serializers.ListField(
        child=serializers.ChoiceField(ROLES), min_length=1, max_length=len(ROLES)
    )


class TenantList(ListModelMixin, TenantView[Tenant]):
    """The tenants that one can see."""

    queryset = Tenant.objects.all()
    serializer_class = TenantShown
    tenant_field = "id"

    def get(self, request: Request) -> Response:
        """Tenants, newest first."""
        return self.list(request)


class Members(TenantView[Membership]):
    """People in tenants. Those who administer a tenant say who is what in it."""

    queryset: QuerySet[Membership] = Membership.objects.select_related("user")
    serializer_class = Member
    filter_fields = {"username": "user__username"}
    required_role = {"GET": Role.VIEWER, "*": Role.ADMIN}


class MemberList(ListModelMixin, Members):
    """The people."""

    def get(self, request: Request) -> Response:
        """People in one's tenants, newest first."""
        return self.list(request)

    @extend_schema(request=NewMember, responses={201: Member})
    def post(self, request: Request) -> Response:
        """Say what a person is in a tenant, whatever they were before."""
        given = NewMember(data=request.data)
        given.is_valid(raise_exception=True)
        values = given.validated_data
        tenant_id = self.tenant_for_new(values.get("tenant"))
        user = User.objects.filter(username=values["username"]).first()
        if user is None:
            raise Invalid(fields={"username": ["There is no such person."]})
        membership = membership_set(
            actor=self.actor,
            tenant_id=tenant_id,
            user_id=user.id,
            roles=values["roles"],
            now=clock.now(),
        )
        return Response(Member(membership).data, status=201)


class MemberDetail(Members):
    """One person in one tenant."""

    def get(self, request: Request, id: UUID) -> Response:
        """What a person is in a tenant."""
        del request, id
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, id: UUID) -> Response:
        """Take a person out of a tenant."""
        del request, id
        membership_remove(actor=self.actor, membership=self.get_object(), now=clock.now())
        return Response(status=204)

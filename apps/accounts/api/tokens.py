"""Tokens of programs."""

from uuid import UUID

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import ApiToken
from apps.accounts.services import token_create, token_revoke
from apps.core import clock
from apps.core.access import SCOPES, ActorKind, Role
from apps.core.api import TenantView
from apps.core.errors import Forbidden


class Token(serializers.ModelSerializer[ApiToken]):
    """A token, without what it was when it was made."""

    owner = serializers.CharField(source="owner.username")
    scopes = serializers.ListField(child=serializers.CharField())

    class Meta:
        """What is shown."""

        model = ApiToken
        fields = [
            "id",
            "tenant",
            "owner",
            "name",
            "prefix",
            "scopes",
            "created_at",
            "expires_at",
            "revoked_at",
            "last_used_at",
        ]
        read_only_fields = fields


class NewToken(serializers.Serializer[None]):
    """What a token is to be."""

    tenant = serializers.UUIDField(required=False)
    name = serializers.CharField(max_length=100)
    scopes = serializers.ListField(
        child=serializers.ChoiceField(sorted(SCOPES)), min_length=1, max_length=len(SCOPES)
    )
    expires_at = serializers.DateTimeField(required=False, allow_null=True, default=None)


class MadeToken(Token):
    """A token, the one time that its text is shown."""

    token = serializers.CharField()

    class Meta(Token.Meta):
        """What is shown."""

        fields = [*Token.Meta.fields, "token"]
        read_only_fields = fields


class Tokens(TenantView[ApiToken]):
    """Tokens that one may see: one's own, and all of a tenant that one administers."""

    queryset = ApiToken.objects.select_related("owner")
    serializer_class = Token
    filter_fields = {"name": "name"}
    required_role = {"*": Role.VIEWER}

    def get_queryset(self) -> QuerySet[ApiToken]:
        """Return the tokens that the actor may see."""
        rows = super().get_queryset()
        if getattr(self, "swagger_fake_view", False):
            return rows
        ruled = [tenant for tenant in self.actor.roles if self.actor.may(tenant, Role.ADMIN)]
        own = Q(id=self.actor.id) | Q(owner_id=self.actor.id)
        return rows.filter(own | Q(tenant_id__in=ruled))


class TokenList(ListModelMixin, Tokens):
    """The tokens."""

    def get(self, request: Request) -> Response:
        """Tokens, newest first."""
        return self.list(request)

    @extend_schema(request=NewToken, responses={201: MadeToken})
    def post(self, request: Request) -> Response:
        """Make a token for oneself. Its text is in the answer, and nowhere else."""
        given = NewToken(data=request.data)
        given.is_valid(raise_exception=True)
        values = given.validated_data
        tenant_id = self.tenant_for_new(values.get("tenant"))
        if self.actor.kind is not ActorKind.PERSON:
            raise Forbidden("A token makes no tokens: sign in.", who_can=["a person"])
        token, text = token_create(
            actor=self.actor,
            owner_id=UUID(self.actor.id),
            tenant_id=tenant_id,
            name=values["name"],
            scopes=values["scopes"],
            expires_at=values["expires_at"],
            now=clock.now(),
        )
        return Response({**Token(token).data, "token": text}, status=201)


class TokenDetail(Tokens):
    """One token."""

    def get(self, request: Request, id: UUID) -> Response:
        """One token."""
        del request, id
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, id: UUID) -> Response:
        """Revoke a token."""
        del request, id
        token_revoke(actor=self.actor, token=self.get_object(), now=clock.now())
        return Response(status=204)

"""Agents, and the tokens with which they enrol."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import Agent, EnrolToken
from apps.accounts.services import agent_revoke, authority_of_plane, enrol_token_create
from apps.core import clock
from apps.core.access import Role
from apps.core.api import TenantView

REASON_LENGTH_MAX = 500


class AgentShown(serializers.ModelSerializer[Agent]):
    """An agent and its certificate."""

    class Meta:
        """What is shown."""

        model = Agent
        fields = (
            "id",
            "tenant",
            "node",
            "version",
            "serial",
            "fingerprint",
            "certificate_expires_at",
            "created_at",
            "revoked_at",
            "last_seen_at",
        )
        read_only_fields = fields


class NewEnrolToken(serializers.Serializer[None]):
    """For which node."""

    tenant = serializers.UUIDField(required=False)
    node = serializers.CharField(max_length=63)


class MadeEnrolToken(serializers.ModelSerializer[EnrolToken]):
    """A token to enrol with, the one time that its text is shown."""

    token = serializers.CharField()
    # by which the node knows the plane: `hotswap agent --authority-digest`
    authority_digest = serializers.CharField()

    class Meta:
        """What is shown."""

        model = EnrolToken
        fields = ("id", "tenant", "node", "expires_at", "created_at", "token", "authority_digest")
        read_only_fields = fields


class Reason(serializers.Serializer[None]):
    """Why."""

    reason = serializers.CharField(max_length=REASON_LENGTH_MAX)


class Agents(TenantView[Agent]):
    """Agents of one's tenants."""

    queryset = Agent.objects.all()
    serializer_class = AgentShown
    filter_fields = {"node": "node", "unrevoked": "revoked_at__isnull"}
    required_role = {"GET": Role.VIEWER, "*": Role.ADMIN}


class AgentList(ListModelMixin, Agents):
    """The agents."""

    def get(self, request: Request) -> Response:
        """Agents, newest first."""
        return self.list(request)


class AgentDetail(Agents):
    """One agent."""

    def get(self, request: Request, id: UUID) -> Response:
        """One agent."""
        del request, id
        return Response(self.get_serializer(self.get_object()).data)


class AgentRevoke(Agents):
    """The end of an agent's certificate."""

    @extend_schema(request=Reason, responses=AgentShown)
    def post(self, request: Request, id: UUID) -> Response:
        """Let an agent in no more."""
        del id
        agent = self.get_object()
        given = Reason(data=request.data)
        given.is_valid(raise_exception=True)
        agent_revoke(
            actor=self.actor, agent=agent, reason=given.validated_data["reason"], now=clock.now()
        )
        agent.refresh_from_db()
        return Response(AgentShown(agent).data)


class EnrolTokenList(TenantView[EnrolToken]):
    """Tokens to enrol with."""

    queryset = EnrolToken.objects.all()
    serializer_class = MadeEnrolToken
    required_role = {"*": Role.ADMIN}

    @extend_schema(request=NewEnrolToken, responses={201: MadeEnrolToken})
    def post(self, request: Request) -> Response:
        """Make a token with which the agent of one node can enrol, once."""
        given = NewEnrolToken(data=request.data)
        given.is_valid(raise_exception=True)
        tenant_id, now = self.tenant_for_new(given.validated_data.get("tenant")), clock.now()
        row, text = enrol_token_create(
            actor=self.actor, tenant_id=tenant_id, node=given.validated_data["node"], now=now
        )
        row.token = text  # type: ignore[attr-defined] # shown this once, and not kept
        row.authority_digest = authority_of_plane(now=now).digest  # type: ignore[attr-defined] # no column
        return Response(MadeEnrolToken(row).data, status=201)

"""Signing in with a browser, and who one is."""

from typing import Any

from django.contrib.auth import authenticate, login, logout
from django.middleware.csrf import get_token
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from apps.accounts.models import User
from apps.accounts.selectors import actor_of_user, me
from apps.core.access import ActorKind, Role
from apps.core.api import PlaneView
from apps.core.throttling import ActorThrottle, SignInThrottle

PASSWORD_LENGTH_MAX = 1000


class SignIn(serializers.Serializer[Any]):
    """Name and password."""

    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=PASSWORD_LENGTH_MAX, trim_whitespace=False)


class OwnTenant(serializers.Serializer[Any]):
    """A tenant, and what one is in it."""

    id = serializers.UUIDField()
    slug = serializers.CharField()
    name = serializers.CharField()
    roles = serializers.ListField(child=serializers.ChoiceField([role.value for role in Role]))


class Me(serializers.Serializer[Any]):
    """Who one is."""

    id = serializers.CharField()
    username = serializers.CharField()
    display_name = serializers.CharField()
    kind = serializers.ChoiceField([kind.value for kind in ActorKind])
    scopes = serializers.ListField(child=serializers.CharField(), allow_null=True)
    tenants = OwnTenant(many=True)
    csrf_token = serializers.CharField()


class SessionView(PlaneView):
    """Sign in, see who one is, sign out."""

    required_role = {"*": None}
    required_scope = {"*": "read"}

    def get_permissions(self) -> list[object]:  # type: ignore[override] # fewer than the base has
        """Let anybody sign in. Only JSON is taken, so that no other site's form can do it."""
        return [] if self.request.method == "POST" else super().get_permissions()  # type: ignore[return-value] # the stubs know one class of them

    def get_throttles(self) -> list[BaseThrottle]:
        """Count attempts to sign in by name and address."""
        return [SignInThrottle() if self.request.method == "POST" else ActorThrottle()]

    @extend_schema(responses=Me)
    def get(self, request: Request) -> Response:
        """Who one is."""
        return self._me(request)

    @extend_schema(request=SignIn, responses=Me, auth=[])
    def post(self, request: Request) -> Response:
        """Sign in."""
        given = SignIn(data=request.data)
        given.is_valid(raise_exception=True)
        user = authenticate(request._request, **given.validated_data)  # noqa: SLF001 - Django's own
        if not isinstance(user, User):
            raise AuthenticationFailed("Name or password is wrong.")
        login(request._request, user)  # noqa: SLF001 - as above
        request.user, request.auth = user, actor_of_user(user)
        return self._me(request)

    @extend_schema(responses={204: None})
    def delete(self, request: Request) -> Response:
        """Sign out."""
        logout(request._request)  # noqa: SLF001 - as above
        return Response(status=204)

    def _me(self, request: Request) -> Response:
        user = request.user if isinstance(request.user, User) else None
        token = get_token(request._request)  # noqa: SLF001 - as above
        return Response(Me(me(actor=self.actor, user=user, csrf_token=token)).data)

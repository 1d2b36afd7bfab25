"""What the framework asks before a view is reached.

Named in the settings, and so imported while the framework's views are: it imports none of them.
"""

from typing import Protocol, cast

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from apps.core.access import Actor, Role
from apps.core.errors import Forbidden


class Demanding(Protocol):
    """A view that says what its methods take: core.api.PlaneView."""

    def role_for(self, method: str) -> Role | None:
        """Return the role that a method takes."""

    def scope_for(self, method: str) -> str:
        """Return the scope that a method takes."""


class MayAsk(BasePermission):
    """Somebody is signed in, with a scope and, in one tenant at least, a role for the method."""

    def has_permission(self, request: Request, view: object) -> bool:
        """Whether the actor may ask at all; False if nobody is signed in."""
        actor = request.auth
        if not isinstance(actor, Actor):
            return False
        if not hasattr(view, (request.method or "get").lower()):
            # the framework answers next that the address has no such method
            return True
        method, demanding = request.method or "GET", cast("Demanding", view)
        scope, role = demanding.scope_for(method), demanding.role_for(method)
        if not actor.has_scope(scope):
            raise Forbidden(
                f"This token is not for {scope}.", who_can=[f"a token with scope {scope}"]
            )
        if role is not None and not actor.may_anywhere(role):
            raise Forbidden(f"This takes the role {role}.", who_can=[role.value])
        return True

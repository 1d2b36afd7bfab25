"""How often somebody may ask. Counted in the cache: loosely, which is enough against floods."""

import hashlib

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from apps.core.access import Actor


class ActorThrottle(SimpleRateThrottle):
    """Counts by actor; requests without one by address."""

    scope = "actor"

    def get_cache_key(self, request: Request, view: object) -> str | None:  # noqa: ARG002 - the framework passes it
        """Return what the request counts for."""
        actor = request.auth
        if isinstance(actor, Actor):
            return self.cache_format % {"scope": self.scope, "ident": f"{actor.kind}:{actor.id}"}
        return self.cache_format % {"scope": "anonymous", "ident": self.get_ident(request)}


class SignInThrottle(SimpleRateThrottle):
    """Counts attempts to sign in, by name and address."""

    scope = "login"

    def get_cache_key(self, request: Request, view: object) -> str | None:  # noqa: ARG002 - as above
        """Return what the attempt counts for."""
        data = request.data if isinstance(request.data, dict) else {}
        name = hashlib.sha256(str(data.get("username", "")).encode()).hexdigest()
        return self.cache_format % {
            "scope": self.scope,
            "ident": f"{name}:{self.get_ident(request)}",
        }

"""How a request says who sends it: a browser by its session, a program by its token."""

from typing import Any, Final

from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from apps.accounts.models import User
from apps.accounts.selectors import actor_of_token, actor_of_user
from apps.accounts.services import token_used
from apps.core import clock
from apps.core.access import Actor

SCHEME: Final = "bearer"


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer hst_...``."""

    def authenticate(self, request: Request) -> tuple[None, Actor] | None:
        """Return who asks; None where no token is shown.

        Raises:
            AuthenticationFailed: if the token is not good.
        """
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME:
            return None
        now = clock.now()
        found = actor_of_token(text=text.strip(), now=now)
        if found is None:
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        token, actor = found
        token_used(token=token, now=now)
        return None, actor

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - the framework passes it
        """Return the challenge that makes an answer a 401."""
        return 'Bearer realm="hotswap"'


class BrowserAuthentication(SessionAuthentication):
    """The session's cookie; writing takes the CSRF token as well."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """Return who asks; None where nobody is signed in."""
        found = super().authenticate(request)
        if found is None:
            return None
        user = found[0]
        assert isinstance(user, User)
        return user, actor_of_user(user)

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - the framework passes it
        """Return the challenge that makes an answer a 401."""
        return 'Bearer realm="hotswap"'

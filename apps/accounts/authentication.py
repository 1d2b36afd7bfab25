"""How a request says who sends it: a browser by its session, a program by its token."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from apps.core.access import Actor


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer hst_...``."""

    def authenticate(self, request: Request) -> tuple[None, Actor] | None:
        """Return who asks, or None where no token is shown."""
        return None

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge that makes an answer a 401."""
        return 'Bearer realm="hotswap"'


class BrowserAuthentication(BaseAuthentication):
    """The session's cookie; writing takes the CSRF token as well."""

    def authenticate(self, request: Request) -> tuple[None, Actor] | None:
        """Return who asks, or None where nobody is signed in."""
        return None

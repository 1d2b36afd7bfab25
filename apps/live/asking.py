"""Who is at the other end of a live connection, as the database knows them now."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

from django.conf import settings
from django.contrib.auth import get_user
from django.http.cookie import parse_cookie

from apps.accounts.models import User
from apps.accounts.selectors import actor_of_token, actor_of_user

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from django.http import HttpRequest

    from apps.core.access import Actor

_BEARER: Final = "bearer"
#: What a token has to allow.
SCOPE: Final = "read"


def actor_of_scope(scope: Mapping[str, Any], *, now: datetime) -> Actor | None:
    """Return who asks, by a browser's session or a program's token; None: nobody is signed in."""
    headers = {name.decode("latin-1"): text.decode("latin-1") for name, text in scope["headers"]}
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == _BEARER:
        found = actor_of_token(text=token.strip(), now=now)
        return found[1] if found is not None and found[1].has_scope(SCOPE) else None
    user = _user_of_session(parse_cookie(headers.get("cookie", "")))
    return None if user is None or not user.is_active else actor_of_user(user)


def _user_of_session(cookies: Mapping[str, str]) -> User | None:
    """Return whose session the browser has; read anew each time: it may have been ended."""
    key = cookies.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return None
    session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    # Django asks the request for nothing but its session
    user = get_user(cast("HttpRequest", SimpleNamespace(session=session)))
    return user if isinstance(user, User) else None

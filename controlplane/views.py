"""Answers to requests that reach no view of an app."""

import sys
from http import HTTPStatus
from typing import Any, Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.core.errors import Unavailable
from apps.core.problems import error_response, plain_response

#: What whoever met a database that is away is told to wait, s.
RETRY_AFTER_S: Final = 2


class DatabaseAway(Unavailable):
    """The database cannot be reached."""

    def __init__(self) -> None:
        """Say what became of the request, and what to do."""
        super().__init__(
            "It was not done, unless its answer was all that got lost. Jobs go on training. Send "
            "it again in a moment; with the same Idempotency-Key it is done once."
        )


def unknown_path(request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - unused
    """Answer a path that nothing stands at."""
    detail = f"There is nothing at {request.path[:200]}."
    return plain_response(request, status=HTTPStatus.NOT_FOUND, detail=detail)


def bad_request(request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - unused
    """Answer a request that makes no sense: host, size, encoding."""
    return plain_response(request, status=HTTPStatus.BAD_REQUEST, detail="")


def forbidden(request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - unused
    """Answer a request that a middleware refused."""
    return plain_response(request, status=HTTPStatus.FORBIDDEN, detail="")


def csrf_refused(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Answer a request of a browser without its token."""
    detail = f"{reason} Send the token of /api/v1/session as X-CSRFToken.".strip()
    return plain_response(request, status=HTTPStatus.FORBIDDEN, detail=detail)


def fault(request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - unused
    """Answer a request that ran into a fault: of ours, or of the database.

    Called while the exception is handled, in the thread of the request (see ``handler``).
    """
    if isinstance(sys.exception(), OperationalError | InterfaceError):
        return error_response(DatabaseAway(), retry_after_s=RETRY_AFTER_S)
    detail = "This is a fault of the control plane; its log says more."
    return plain_response(request, status=HTTPStatus.INTERNAL_SERVER_ERROR, detail=detail)

"""Answers to requests that reach no view of an app."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.core.problems import plain_response


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
    """Answer a request that ran into a fault of ours."""
    detail = "This is a fault of the control plane; its log says more."
    return plain_response(request, status=HTTPStatus.INTERNAL_SERVER_ERROR, detail=detail)

"""Answers that belong to no app: the front end's page, and errors where no view was reached."""

from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from apps.core.problems import plain_response

NOT_BUILT = "The front end has not been built: run `make frontend`.\n"


def front_end(request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - unused
    """Return the one page of the front end, whatever the path: its router takes it from there."""
    if request.method not in {"GET", "HEAD"}:
        return plain_response(request, status=HTTPStatus.METHOD_NOT_ALLOWED, detail="")
    page = Path(settings.FRONTEND_DIR) / "index.html"
    if not page.is_file():
        status = HTTPStatus.SERVICE_UNAVAILABLE
        return HttpResponse(NOT_BUILT, status=status, content_type="text/plain; charset=utf-8")
    # its scripts have digests in their names; the page itself is asked for each time
    headers = {"Cache-Control": "no-cache"}
    return HttpResponse(page.read_bytes(), headers=headers, content_type="text/html; charset=utf-8")


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

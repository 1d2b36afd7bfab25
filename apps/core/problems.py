"""Errors as answers: RFC 9457 problem details, the only body that an error of the API has."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from apps.core.errors import Forbidden, Invalid, LimitReached, NotFound, PlaneError

MEDIA_TYPE: Final = "application/problem+json"
# where the documentation describes each code
TYPE_PREFIX: Final = "urn:hotswap:problem:"
# errors of a serializer that belong to no field of the request
NO_FIELD: Final = "non_field_errors"


def problem(
    *, status: int, code: str, title: str, detail: str, extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the body of an error's answer."""
    members = {
        "type": f"{TYPE_PREFIX}{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
    }
    return {**(extra or {}), **members}


def problem_of(error: PlaneError) -> dict[str, Any]:
    """Return the body of the answer to a request that ended in an error of ours."""
    return problem(
        status=error.status,
        code=error.code,
        title=error.title,
        detail=error.detail,
        extra=error.extra,
    )


def exception_handler(exc: Exception, _context: Mapping[str, Any]) -> Response | None:
    """Answer an exception that a view has raised; None for one that is a fault of ours."""
    headers: dict[str, str] = {}
    if isinstance(exc, exceptions.APIException):
        body, headers = _of_framework(exc), _headers_of(exc)
    elif isinstance(exc, Http404):
        body = problem_of(NotFound())
    elif isinstance(exc, PermissionDenied):
        body = problem_of(Forbidden(str(exc)))
    elif isinstance(exc, PlaneError):
        body = problem_of(exc)
        if isinstance(exc, LimitReached) and exc.retry_after_s is not None:
            headers["Retry-After"] = str(int(exc.retry_after_s) + 1)
    else:
        return None
    # only matters where a request is one transaction; a no-op elsewhere
    set_rollback()
    return Response(body, status=body["status"], headers=headers, content_type=MEDIA_TYPE)


def plain_response(
    request: HttpRequest, *, status: HTTPStatus, detail: str, retry_after_s: int | None = None
) -> HttpResponseBase:
    """Answer where no view was reached: unknown path, fault, refused by a middleware."""
    del request
    body = problem(
        status=status, code=status.name.lower(), title=status.phrase, detail=detail or status.phrase
    )
    return _response(body, retry_after_s=retry_after_s)


def error_response(error: PlaneError, *, retry_after_s: int | None = None) -> HttpResponseBase:
    """Answer with an error of ours where no view was reached."""
    return _response(problem_of(error), retry_after_s=retry_after_s)


def _response(body: Mapping[str, Any], *, retry_after_s: int | None) -> HttpResponseBase:
    headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    return JsonResponse(body, status=body["status"], headers=headers, content_type=MEDIA_TYPE)


def _of_framework(exc: exceptions.APIException) -> dict[str, Any]:
    if isinstance(exc, exceptions.ValidationError):
        fields = dict(_flat(exc.detail))
        first = next(iter(fields.items()), ("", [""]))
        detail = " ".join(first[1]) if first[0] == NO_FIELD else f"{first[0]}: {first[1][0]}"
        return problem_of(Invalid(detail, fields=fields))
    status = HTTPStatus(exc.status_code)
    code = status.name.lower()
    codes = exc.get_codes()
    if isinstance(codes, str):
        code = codes
    return problem(status=status, code=code, title=status.phrase, detail=str(exc.detail))


def _headers_of(exc: exceptions.APIException) -> dict[str, str]:
    headers = {}
    challenge = getattr(exc, "auth_header", None)
    if challenge:
        headers["WWW-Authenticate"] = challenge
    wait_s = getattr(exc, "wait", None)
    if wait_s is not None:
        headers["Retry-After"] = str(int(wait_s) + 1)
    return headers


def _flat(detail: Any, path: str = "") -> list[tuple[str, list[str]]]:  # noqa: ANN401 - nested at will
    """Return what is wrong by dotted path: {"rows": [{"name": [..]}]} -> rows.0.name."""
    if isinstance(detail, Mapping):
        return [
            pair
            for key, value in detail.items()
            for pair in _flat(value, f"{path}.{key}" if path else str(key))
        ]
    if isinstance(detail, list) and any(isinstance(item, Mapping | list) for item in detail):
        return [
            pair
            for index, value in enumerate(detail)
            for pair in _flat(value, f"{path}.{index}" if path else str(index))
        ]
    texts = detail if isinstance(detail, list) else [detail]
    return [(path or NO_FIELD, [str(text) for text in texts])] if texts else []

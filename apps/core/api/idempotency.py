"""Requests that a program may send again: ``Idempotency-Key: <text>`` with a POST."""

import hashlib
import json
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.db import transaction
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import clock
from apps.core.access import Actor
from apps.core.errors import Invalid
from apps.core.models import IdempotencyKey

HEADER: Final = "Idempotency-Key"
KEY_LENGTH_MAX: Final = 128
PATH_LENGTH_MAX: Final = 280

_RENDERER: Final = JSONRenderer()

Handler = Callable[..., Response]


def repeatable(handler: Handler) -> Handler:
    """Make a view's ``post`` answer a repeated request with the first answer.

    Row, work and answer are one transaction: a request that fails, or whose process dies, leaves
    nothing behind and can be sent again.
    """

    @wraps(handler)
    def post(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - passed on
        key = request.headers.get(HEADER, "")
        if not key:
            return handler(view, request, *args, **kwargs)
        if len(key) > KEY_LENGTH_MAX or not key.isprintable():
            raise Invalid(
                f"{HEADER} is printable text of at most {KEY_LENGTH_MAX} characters.",
                fields={HEADER: ["Not a key."]},
            )
        return _once(lambda: handler(view, request, *args, **kwargs), request, key)

    return post


def _once(work: Callable[[], Response], request: Request, key: str) -> Response:
    actor = request.auth
    assert isinstance(actor, Actor)
    body_digest = "sha256:" + hashlib.sha256(request.body).hexdigest()
    with transaction.atomic():
        # a second one waits here, at the unique index, until the first has its answer
        row, is_first = IdempotencyKey.objects.select_for_update(no_key=True).get_or_create(
            actor=f"{actor.kind}:{actor.id}",
            request=f"{request.method} {request.path[:PATH_LENGTH_MAX]}",
            key=key,
            defaults={"body_digest": body_digest, "created_at": clock.now()},
        )
        if not is_first:
            if row.body_digest != body_digest:
                raise Invalid(
                    "This key was used with another body. Take a new key for a new request.",
                    fields={HEADER: ["Used with another body."]},
                )
            return Response(row.answer, status=row.status, headers={"Idempotency-Replayed": "true"})
        response = work()
        # as it is sent: ids and times are text
        row.status, row.answer = response.status_code, json.loads(_RENDERER.render(response.data))
        row.save(update_fields=("status", "answer"))
    return response

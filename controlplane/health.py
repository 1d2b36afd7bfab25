"""Whether the process lives, whether it can serve, and its figures."""

import hmac
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from apps.core.problems import plain_response
from controlplane.figures import REGISTRY

# how long the broker may take to answer a probe
BROKER_ANSWER_S: Final = 2.0


def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers: nothing else is looked at, so that no outage restarts it."""
    return JsonResponse({"ok": True})


def readyz(_request: HttpRequest) -> HttpResponse:
    """Whether requests can be served: database, schema and broker."""
    checks = {name: check() for name, check in CHECKS.items()}
    ready = not any(checks.values())
    shown = {name: problem or "ok" for name, problem in checks.items()}
    status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
    return JsonResponse({"ok": ready, "checks": shown}, status=status)


def metrics(request: HttpRequest) -> HttpResponseBase:
    """Figures for Prometheus."""
    shown = request.headers.get("Authorization", "").removeprefix("Bearer ")
    expected = settings.HOTSWAP_METRICS_TOKEN
    if expected and not hmac.compare_digest(shown.encode(), expected.encode()):
        detail = "Send HOTSWAP_METRICS_TOKEN as bearer token."
        return plain_response(request, status=HTTPStatus.UNAUTHORIZED, detail=detail)
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)


def _database() -> str:
    try:
        executor = MigrationExecutor(connection)
        waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except DatabaseError:
        return "does not answer"
    return f"{waiting} migrations are to be run" if waiting else ""


def _broker() -> str:
    if not settings.REDIS_URL:
        return ""
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=BROKER_ANSWER_S,
        socket_connect_timeout=BROKER_ANSWER_S,
    )
    try:
        client.ping()
    except redis.RedisError:
        return "does not answer"
    finally:
        client.close()
    return ""


# each returns what is wrong; empty: nothing
CHECKS: Final[dict[str, Callable[[], str]]] = {"database": _database, "broker": _broker}

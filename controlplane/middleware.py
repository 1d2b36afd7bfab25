"""What every request passes through, beside Django's own."""

from collections.abc import Awaitable, Callable
from typing import Final

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

# key in the ASGI scope of requests that came to the port of the agents
LISTENER: Final = "hotswap.listener"
AGENTS: Final = "agents"

# the front end is one bundle of ours: nothing from elsewhere, no frames; styles are set by the
# component library at run time
CONTENT_SECURITY_POLICY: Final = "; ".join(  # noqa: FLY002 - one line each
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

Answer = HttpResponseBase | Awaitable[HttpResponseBase]
Handler = Callable[[HttpRequest], Answer]


@sync_and_async_middleware
def security_headers(get_response: Handler) -> Handler:
    """Say what a page may load and use."""
    return _after(get_response, _set_headers)


def _set_headers(_request: HttpRequest, response: HttpResponseBase) -> None:
    response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    response.headers.setdefault(
        "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
    )


@sync_and_async_middleware
def listener(get_response: Handler) -> Handler:
    """Give the port of the agents addresses of its own: neither port knows those of the other."""

    def route(request: HttpRequest) -> Answer:
        if getattr(request, "scope", {}).get(LISTENER) == AGENTS:
            # Django's own way to route one request differently
            request.urlconf = "controlplane.agent_urls"
        return get_response(request)

    if iscoroutinefunction(get_response):
        markcoroutinefunction(route)
    return route


def _after(get_response: Handler, work: Callable[[HttpRequest, HttpResponseBase], None]) -> Handler:
    """Return a middleware, sync or async as what it stands around is, that does work at the end."""
    if iscoroutinefunction(get_response):

        async def later(request: HttpRequest) -> HttpResponseBase:
            answer = get_response(request)
            assert isinstance(answer, Awaitable)
            response: HttpResponseBase = await answer
            work(request, response)
            return response

        return later

    def now(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        assert isinstance(response, HttpResponseBase)
        work(request, response)
        return response

    return now

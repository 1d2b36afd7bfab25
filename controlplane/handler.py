"""Django behind ASGI, each request in one thread of a few that keep their database connection.

Django's own handler makes a thread for each request, and so a connection to the database, and
changes between it and the event loop for each middleware: that costs more than most answers, and on
a busy machine each change waits for a processor. Nothing here is asynchronous: views, middlewares
and the database would be in a thread anyway.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import IO, Any, Final

from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from apps.core.problems import plain_response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

#: Requests that are answered at a time; each thread has a connection to the database.
THREADS_MAX: Final = 8
#: Requests under way, those that wait for a thread included; more are asked to come again.
REQUESTS_MAX: Final = 1_000
#: What they are told to wait, s.
RETRY_AFTER_S: Final = 1


class ThreadHandler(ASGIHandler):
    """Answers the requests of one event loop."""

    def __init__(self, *, requests_max: int = REQUESTS_MAX) -> None:
        """Load the middlewares; threads start when they are needed."""
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self._threads = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="request")
        self._requests_max = requests_max
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        assert scope["type"] == "http", scope["type"]
        if self._under_way >= self._requests_max:
            await self.send_response(_busy(), send)
            return
        self._under_way += 1
        try:
            body = await self.read_body(receive)
            loop = asyncio.get_running_loop()
            response = await loop.run_in_executor(self._threads, self._answer, scope, body)
            await self.send_response(response, send)
        except RequestAborted:
            return  # it went away before it had said everything
        finally:
            self._under_way -= 1

    def _answer(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        """Do everything about a request that may wait."""
        set_script_prefix(get_script_prefix(scope))
        # as the connections to the database are looked after
        signals.request_started.send(sender=self.__class__, scope=scope)
        with body:
            request, refusal = self.create_request(scope, body)
            response = refusal if request is None else self.get_response(request)
            assert response is not None, "there is a request, or an answer to what is none"
            assert not response.streaming, "what is sent later would be read outside of the thread"
            response.close()
        return response


def _busy() -> HttpResponseBase:
    return plain_response(
        HttpRequest(),
        status=HTTPStatus.SERVICE_UNAVAILABLE,
        detail="More requests are under way than can be answered: come again.",
        retry_after_s=RETRY_AFTER_S,
    )

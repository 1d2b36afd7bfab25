"""Each request is answered in one thread of a few; too many at a time are asked to come again."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import override_settings
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from controlplane.handler import THREADS_MAX, ThreadHandler

#: Longest wait for anything here, s: a busy machine may take its time.
WAIT_S = 30

released = threading.Event()


@csrf_exempt
def here(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"thread": threading.get_ident(), "body": request.body.decode()})


def held(_request: HttpRequest) -> HttpResponse:
    assert released.wait(WAIT_S)
    return here(_request)


urlpatterns = [path("here", here), path("held", held)]

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(autouse=True)
def _addresses() -> Any:
    released.clear()
    with override_settings(ROOT_URLCONF=__name__):
        yield
    released.set()


async def ask(handler: ThreadHandler, address: str, *parts: bytes) -> tuple[int, bytes]:
    """Send a request in parts; return status and body."""
    scope = {
        "type": "http",
        "method": "POST" if parts else "GET",
        "path": address,
        "query_string": b"",
        "headers": [(b"host", b"testserver")],
    }
    incoming = [{"type": "http.request", "body": part, "more_body": True} for part in parts] + [
        {"type": "http.request", "body": b"", "more_body": False}
    ]
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        return incoming.pop(0)

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    await handler(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent)


async def test_a_request_begins_is_answered_and_ends_in_one_thread() -> None:
    threads: list[int] = []

    def note(**_: object) -> None:
        threads.append(threading.get_ident())

    request_started.connect(note)
    request_finished.connect(note)
    try:
        status, body = await ask(ThreadHandler(), "/here", b"a", b"b")
    finally:
        request_started.disconnect(note)
        request_finished.disconnect(note)
    (thread,) = set(threads)
    assert (status, body) == (200, b'{"thread": %d, "body": "ab"}' % thread)
    assert len(threads) == 2
    assert thread != threading.get_ident()


async def test_many_requests_share_a_few_threads() -> None:
    handler = ThreadHandler()
    answers = await asyncio.gather(*(ask(handler, "/here") for _ in range(5 * THREADS_MAX)))
    assert {status for status, _ in answers} == {200}
    assert len({body for _, body in answers}) <= THREADS_MAX


async def test_more_than_can_wait_are_asked_to_come_again() -> None:
    handler = ThreadHandler(requests_max=2)
    waiting = [asyncio.create_task(ask(handler, "/held")) for _ in range(2)]
    await asyncio.sleep(0)  # both have begun
    status, body = await ask(handler, "/here")
    assert (status, b"service_unavailable" in body) == (503, True)
    released.set()
    async with asyncio.timeout(WAIT_S):
        assert [status for status, _ in await asyncio.gather(*waiting)] == [200, 200]
    assert (await ask(handler, "/here"))[0] == 200


async def test_whoever_goes_away_early_is_answered_nothing() -> None:
    sent: list[Mapping[str, Any]] = []

    async def gone() -> Mapping[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    await ThreadHandler(requests_max=1)({"type": "http", "path": "/here"}, gone, send)
    assert sent == []

"""What the plane answers is a value, or an error that says whether to try again."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest

from hotswap.errors import PlaneMessageMalformed, PlaneUnreachable
from hotswap.node.agent.credentials import trusting
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.plane_client import HttpPlaneClient
from hotswap.wire.plane import (
    Renewal,
    Renewed,
    Report,
    ReportAccepted,
    decode_plane,
    encode_plane,
)
from tests.hotswap.node.agent.authority_double import Authority

QUESTION = Report(boot="b", sequence=0, sent_at="now")


async def answer(
    reply: Callable[[httpx.Request], httpx.Response], **limits: Any
) -> tuple[ReportAccepted, httpx.Request]:
    """Ask a plane that answers by ``reply``."""
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return reply(request)

    client = HttpPlaneClient(
        plane="https://plane",
        context=trusting(Authority().pem),
        limits=replace(AgentLimits(), **limits),
        transport=httpx.MockTransport(handle),
    )
    try:
        return await client.report(QUESTION, wait_s=2.5), seen[0]
    finally:
        await client.close()


async def test_a_question_says_how_long_the_answer_may_be_held_back() -> None:
    accepted = ReportAccepted(accepted_sequence=4)
    found, request = await answer(lambda _: httpx.Response(200, content=encode_plane(accepted)))
    assert found == accepted
    assert request.url == "https://plane/agent/v1/report?wait_s=2.5"
    assert request.content == encode_plane(QUESTION)
    assert request.extensions["timeout"]["read"] == AgentLimits().request_s + 2.5


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
async def test_a_plane_that_can_not_take_it_now_is_tried_again(status: int) -> None:
    with pytest.raises(PlaneUnreachable, match=str(status)):
        await answer(lambda _: httpx.Response(status))


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_report_that_is_wrong_is_not_sent_again_as_it_is(status: int) -> None:
    with pytest.raises(PlaneMessageMalformed, match=str(status)):
        await answer(lambda _: httpx.Response(status, text="why"))


async def test_an_answer_that_is_none_is_named() -> None:
    with pytest.raises(PlaneMessageMalformed):
        await answer(lambda _: httpx.Response(200, text="hello"))


async def test_an_answer_that_is_too_large_is_not_read() -> None:
    with pytest.raises(PlaneMessageMalformed, match="too large"):
        await answer(lambda _: httpx.Response(200, content=b" " * 100), answer_nbytes_max=99)


async def test_a_lost_connection_is_unreachable() -> None:
    def lose(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError("gone", request=request)

    with pytest.raises(PlaneUnreachable, match="ReadError"):
        await answer(lose)


class Answers(httpx.AsyncBaseTransport):
    """Holds each answer back until it is released; the first certificate is refused by then."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.released = asyncio.Event()
        self.statuses = [403, 200]
        self.lose = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        del request
        self.asked.set()
        await self.released.wait()
        status = self.statuses.pop(0)
        if self.lose and status == 403:
            raise httpx.ReadError("closed")
        return httpx.Response(status, content=encode_plane(ReportAccepted(accepted_sequence=7)))


@pytest.mark.parametrize("lose", [False, True])
async def test_what_is_under_way_with_the_certificate_before_is_sent_again(*, lose: bool) -> None:
    answers, authority = Answers(), Authority()
    answers.lose = lose
    client = HttpPlaneClient(
        plane="https://plane",
        context=trusting(authority.pem),
        limits=AgentLimits(),
        transport=answers,
    )
    under_way = asyncio.create_task(client.report(QUESTION))
    await answers.asked.wait()
    await client.use(trusting(authority.pem))
    answers.released.set()
    assert (await under_way).accepted_sequence == 7
    await client.close()


async def test_a_plane_that_lets_nobody_in_says_what_to_do() -> None:
    with pytest.raises(PlaneUnreachable, match="revoked, get a new token"):
        await answer(lambda _: httpx.Response(403))


async def test_a_renewal_is_a_message_of_its_own() -> None:
    def sign(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/agent/v1/renew"
        asked = decode_plane(request.content, Renewal)
        return httpx.Response(200, content=encode_plane(Renewed(certificate_pem=asked.csr_pem)))

    client = HttpPlaneClient(
        plane="https://plane",
        context=trusting(Authority().pem),
        limits=AgentLimits(),
        transport=httpx.MockTransport(sign),
    )
    assert (await client.renew(Renewal(csr_pem="x", version="1"))).certificate_pem == "x"
    await client.close()

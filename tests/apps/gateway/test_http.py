"""The addresses that agents know."""

import asyncio
import hashlib
import json
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any
from uuid import UUID

import pytest

from apps.accounts.errors import CredentialRefused, EnrolRefused
from apps.gateway.batching import Batcher
from apps.gateway.http import Gateway
from apps.gateway.intake import Delivery, Outcome
from apps.gateway.limits import SIGNING_MAX
from apps.gateway.waiting import Waiting
from hotswap.wire import plane
from hotswap.wire.plane import (
    AUTHORITY_PATH,
    ENROL_PATH,
    RENEW_PATH,
    REPORT_NBYTES_MAX,
    REPORT_PATH,
)
from tests.apps.gateway.making import Answer, question, report

NODE = UUID(int=1)
DER = b"a certificate"
PEM = ssl.DER_cert_to_PEM_cert(DER)
FINGERPRINT = hashlib.sha256(DER).hexdigest()
COMMAND = plane.Command(id="c1", kind="quarantine", fence=0)


class HandBell:
    """Rings when a test says so."""

    def __init__(self, due: asyncio.Queue[None]) -> None:
        self.due = due

    async def rings(self) -> AsyncIterator[None]:
        while True:
            await self.due.get()
            yield


class World:
    """A gateway whose database is a test."""

    def __init__(self) -> None:
        self.taken: list[Delivery] = []
        self.commands: tuple[plane.Command, ...] = ()
        self.error: Exception | None = None
        self.enrolled: list[plane.Enrolment] = []
        self.due: asyncio.Queue[None] = asyncio.Queue(maxsize=10)
        self.batcher = Batcher(self.take)
        self.waiting = Waiting(look=self.look, bell=HandBell(self.due))
        self.gateway = Gateway(
            batcher=self.batcher,
            waiting=self.waiting,
            enrol=self.enrol,
            renew=self.renew,
            authority_pem="-----",
        )

    async def take(self, deliveries: Sequence[Delivery]) -> list[Outcome]:
        self.taken += deliveries
        if isinstance(self.error, CredentialRefused):
            return [Outcome(error=self.error)] * len(deliveries)
        return [
            Outcome(node_id=NODE, accepted_sequence=each.report.sequence, commands=self.commands)
            for each in deliveries
        ]

    async def look(self) -> frozenset[UUID]:
        return frozenset({NODE} if self.commands else ())

    async def enrol(self, asked: plane.Enrolment) -> plane.Enrolled:
        self.enrolled.append(asked)
        if self.error is not None:
            raise self.error
        return plane.Enrolled(
            agent="a1", certificate_pem="c", authority_pem="a", report_every_s=1.0
        )

    async def renew(self, fingerprint: str, asked: plane.Renewal) -> plane.Renewed:
        if self.error is not None:
            raise self.error
        return plane.Renewed(certificate_pem=f"{fingerprint} {asked.version}")

    async def ask(
        self,
        path: str = REPORT_PATH,
        body: bytes = b"",
        *,
        method: str = "POST",
        query: str = "",
        chain: Sequence[str] = (PEM,),
        receive: Callable[[], Any] | None = None,
    ) -> Answer:
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "extensions": {"tls": {"client_cert_chain": chain}},
        }
        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.gateway(scope, receive or said(body), send)  # type: ignore[arg-type]  # plain dicts
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Answer(status=sent[0]["status"], headers=headers, body=sent[1]["body"])


def said(*parts: bytes, then: Callable[[], Any] | None = None) -> Callable[[], Any]:
    """Return an ASGI receive that gives parts of a body, and then stays silent."""
    left = [
        {"type": "http.request", "body": part, "more_body": number < len(parts)}
        for number, part in enumerate(parts, start=1)
    ]

    async def receive() -> Any:
        if left:
            return left.pop(0)
        if then is not None:
            return then()
        await asyncio.sleep(60)
        return None

    return receive


@pytest.fixture(name="world")
async def _world() -> AsyncIterator[World]:
    world = World()
    tasks = [asyncio.create_task(world.batcher.run()), asyncio.create_task(world.waiting.run())]
    yield world
    for task in tasks:
        task.cancel()


def encoded(what: plane.Report) -> bytes:
    return plane.encode_plane(what)


async def test_a_report_is_taken_in_by_the_certificates_fingerprint(world: World) -> None:
    answer = await world.ask(body=encoded(report(3)))
    assert (answer.status, answer.json()) == (200, {"accepted_sequence": 3, "commands": []})
    assert [each.fingerprint for each in world.taken] == [FINGERPRINT]


async def test_a_body_may_come_in_parts(world: World) -> None:
    whole = encoded(report(3))
    answer = await world.ask(receive=said(whole[:20], whole[20:]))
    assert answer.status == 200


async def test_a_report_without_a_certificate_is_refused(world: World) -> None:
    answer = await world.ask(body=encoded(report()), chain=())
    assert (answer.status, answer.json()["code"]) == (403, "certificate_missing")
    assert world.taken == []


async def test_a_revoked_certificate_is_refused(world: World) -> None:
    world.error = CredentialRefused()
    answer = await world.ask(body=encoded(report()))
    assert (answer.status, answer.json()["code"]) == (403, "credential_refused")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'{"boot": 1}', b"\xff", b"[" * 100_000, b'{"boot": "a\\u0000"}'],
)
async def test_what_is_no_report_is_refused(world: World, body: bytes) -> None:
    answer = await world.ask(body=body)
    assert (answer.status, answer.json()["code"]) == (422, "report_refused")


async def test_a_report_that_is_too_large_is_refused_before_it_is_read_to_its_end(
    world: World,
) -> None:
    part = b" " * (REPORT_NBYTES_MAX // 2 + 1)
    answer = await world.ask(receive=said(part, part, part))
    assert (answer.status, answer.json()["code"]) == (413, "request_too_large")


@pytest.mark.parametrize("query", ["wait_s=soon", "wait_s=-1", "wait_s=nan"])
async def test_a_wait_that_is_none_is_refused(world: World, query: str) -> None:
    answer = await world.ask(body=encoded(question()), query=query)
    assert (answer.status, list(answer.json()["fields"])) == (422, ["wait_s"])


async def test_commands_come_with_the_answer(world: World) -> None:
    world.commands = (COMMAND,)
    answer = await world.ask(body=encoded(question()), query="wait_s=5")
    assert [each["id"] for each in answer.json()["commands"]] == ["c1"]


async def test_a_question_is_answered_as_soon_as_there_is_a_command(world: World) -> None:
    asked = asyncio.create_task(world.ask(body=encoded(question()), query="wait_s=5"))
    while not world.taken:  # noqa: ASYNC110 - the gateway has no event for a test
        await asyncio.sleep(0.001)
    world.commands = (COMMAND,)
    world.due.put_nowait(None)
    answer = await asyncio.wait_for(asked, timeout=2)
    assert [each["id"] for each in answer.json()["commands"]] == ["c1"]
    assert [each.report.sequence for each in world.taken] == [0, 0]


async def test_a_question_that_nothing_answers_ends_after_its_wait(world: World) -> None:
    answer = await world.ask(body=encoded(question()), query="wait_s=0.05")
    assert (answer.status, answer.json()["commands"]) == (200, [])
    assert world.waiting.waiters == 0


async def test_an_agent_that_goes_away_waits_no_more(world: World) -> None:
    gone = said(encoded(question()), then=lambda: {"type": "http.disconnect"})
    with pytest.raises(IndexError):  # nothing was answered
        await world.ask(receive=gone, query="wait_s=5")
    assert world.waiting.waiters == 0


async def test_an_enrolment_is_answered_without_a_certificate(world: World) -> None:
    body = json.dumps({"token": "t", "node": "n1", "csr_pem": "x", "version": "1"}).encode()
    answer = await world.ask(ENROL_PATH, body, chain=())
    assert (answer.status, answer.json()["agent"]) == (200, "a1")
    assert [each.node for each in world.enrolled] == ["n1"]


async def test_a_renewal_is_signed_for_whose_certificate_it_comes_with(world: World) -> None:
    body = json.dumps({"csr_pem": "x", "version": "1"}).encode()
    answer = await world.ask(RENEW_PATH, body)
    assert (answer.status, answer.json()) == (200, {"certificate_pem": f"{FINGERPRINT} 1"})
    answer = await world.ask(RENEW_PATH, body, chain=())
    assert (answer.status, answer.json()["code"]) == (403, "certificate_missing")
    world.error = CredentialRefused()
    answer = await world.ask(RENEW_PATH, body)
    assert (answer.status, answer.json()["code"]) == (403, "credential_refused")


async def test_a_token_that_is_not_good_is_refused(world: World) -> None:
    world.error = EnrolRefused()
    body = json.dumps({"token": "t", "node": "n1", "csr_pem": "x", "version": "1"}).encode()
    answer = await world.ask(ENROL_PATH, body, chain=())
    assert (answer.status, answer.json()["code"]) == (403, "enrol_refused")


async def test_anybody_may_ask_to_enrol_but_not_all_at_once(world: World) -> None:
    goes = asyncio.Event()

    async def slowly(_: plane.Enrolment) -> plane.Enrolled:
        await goes.wait()
        return plane.Enrolled(
            agent="a1", certificate_pem="c", authority_pem="a", report_every_s=1.0
        )

    world.gateway.enrol = slowly
    body = json.dumps({"token": "t", "node": "n1", "csr_pem": "x", "version": "1"}).encode()
    asked = [asyncio.create_task(world.ask(ENROL_PATH, body)) for _ in range(SIGNING_MAX + 1)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    goes.set()
    statuses = [each.status for each in await asyncio.gather(*asked)]
    assert sorted(statuses) == [200] * SIGNING_MAX + [503]


async def test_a_fault_of_ours_has_the_agent_come_again(world: World) -> None:
    world.error = RuntimeError("broken")
    body = json.dumps({"token": "t", "node": "n1", "csr_pem": "x", "version": "1"}).encode()
    answer = await world.ask(ENROL_PATH, body)
    assert (answer.status, answer.headers["retry-after"]) == (503, "2")
    assert b"broken" not in answer.body


async def test_anybody_may_ask_for_the_authoritys_certificate(world: World) -> None:
    answer = await world.ask(AUTHORITY_PATH, method="GET", chain=())
    assert (answer.status, answer.body) == (200, b"-----")
    assert answer.headers["content-type"] == "application/x-pem-file"


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/agent/v1/other", "POST"),
        (REPORT_PATH, "GET"),
        (ENROL_PATH, "GET"),
        (AUTHORITY_PATH, "POST"),
    ],
)
async def test_there_is_nothing_else(world: World, path: str, method: str) -> None:
    answer = await world.ask(path, method=method)
    assert (answer.status, answer.json()["code"]) == (404, "path_unknown")

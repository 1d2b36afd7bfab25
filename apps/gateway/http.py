"""The addresses that agents know, as an ASGI application.

It stands beside Django instead of within it: at a thousand reports a second, middlewares and
request objects would cost more than what is done with the reports.
"""

import asyncio
import hashlib
import json
import ssl
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs

import structlog

from apps.core.errors import PlaneError
from apps.core.problems import MEDIA_TYPE, problem_of
from apps.gateway.batching import Batcher
from apps.gateway.errors import (
    CertificateMissing,
    GatewayBusy,
    IntakeFailed,
    PathUnknown,
    ReportRefused,
    RequestTooLarge,
)
from apps.gateway.intake import Delivery, Outcome
from apps.gateway.limits import ENROL_NBYTES_MAX, SIGNING_MAX, WAITERS_MAX
from apps.gateway.waiting import Waiting
from hotswap.errors import PlaneMessageMalformed
from hotswap.wire.plane import (
    AUTHORITY_PATH,
    ENROL_PATH,
    RENEW_PATH,
    REPORT_NBYTES_MAX,
    REPORT_PATH,
    WAIT_S_MAX,
    Enrolled,
    Enrolment,
    Renewal,
    Renewed,
    Report,
    ReportAccepted,
    decode_plane,
    encode_plane,
)

_log = structlog.get_logger()

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

T = TypeVar("T", Enrolment, Renewal, Report)

_JSON: Final = "application/json"
_PEM: Final = "application/x-pem-file"
#: PostgreSQL keeps no null character in a text; as JSON spells it.
_NULL: Final = b"\\u0000"
#: Certificates whose fingerprints are remembered.
_CERTIFICATES_MAX: Final = 20_000


class Disconnected(Exception):
    """The agent went away before it had said everything."""


@dataclass(slots=True, kw_only=True)
class Gateway:
    """What the application stands on; belongs to one event loop."""

    batcher: Batcher
    waiting: Waiting
    # signs an agent's key; runs wherever waiting for a database does no harm
    enrol: Callable[[Enrolment], Awaitable[Enrolled]]
    # signs the next key of the agent whose certificate has a fingerprint; likewise
    renew: Callable[[str, Renewal], Awaitable[Renewed]]
    # the authority's certificate, for anyone: who has its digest checks it by that
    authority_pem: str
    # requests to sign that are under way
    _signing: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if (scope["method"], scope["path"]) == ("GET", AUTHORITY_PATH):
            await _respond(send, 200, self.authority_pem.encode("ascii"), _PEM)
            return
        try:
            body = await self._answer(scope, receive)
        except Disconnected:
            return
        except PlaneError as error:
            await _refuse(send, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours is answered, logged, and ends no other request
            _log.exception("gateway.fault", path=scope["path"], problem=str(error))
            await _refuse(send, IntakeFailed())
        else:
            await _respond(send, 200, body, _JSON)

    async def _answer(self, scope: Scope, receive: Receive) -> bytes:
        if scope["method"] != "POST":
            raise PathUnknown("Agents POST here.")
        match scope["path"]:
            case path if path == REPORT_PATH:
                return await self._report(scope, receive)
            case path if path == ENROL_PATH:
                return await self._enrol(receive)
            case path if path == RENEW_PATH:
                return await self._renew(scope, receive)
            case _:
                raise PathUnknown

    async def _enrol(self, receive: Receive) -> bytes:
        asked = _decoded(await _body(receive, nbytes_max=ENROL_NBYTES_MAX), Enrolment)
        return await self._signed(lambda: self.enrol(asked))

    async def _renew(self, scope: Scope, receive: Receive) -> bytes:
        fingerprint = fingerprint_of(scope)
        asked = _decoded(await _body(receive, nbytes_max=ENROL_NBYTES_MAX), Renewal)
        return await self._signed(lambda: self.renew(fingerprint, asked))

    async def _signed(self, sign: Callable[[], Awaitable[Enrolled | Renewed]]) -> bytes:
        """Have a key signed, if not too many wait for that."""
        if self._signing >= SIGNING_MAX:
            raise GatewayBusy
        self._signing += 1
        try:
            return encode_plane(await sign())
        finally:
            self._signing -= 1

    async def _report(self, scope: Scope, receive: Receive) -> bytes:
        fingerprint = fingerprint_of(scope)
        wait_s = _wait_s(scope)
        report = _decoded(await _body(receive, nbytes_max=REPORT_NBYTES_MAX), Report)
        delivery = Delivery(fingerprint=fingerprint, report=report)
        if not wait_s:
            return _accepted(await self.batcher.submit(delivery))
        if self.waiting.waiters >= WAITERS_MAX:
            raise GatewayBusy
        with self.waiting.interest() as ticket:
            outcome = await self.batcher.submit(delivery)
            if outcome.error is not None or outcome.commands or outcome.node_id is None:
                return _accepted(outcome)
            found = await self._wait(receive, outcome, ticket=ticket, wait_s=wait_s)
            if not found:
                return _accepted(outcome)
            question = Report(boot=report.boot, sequence=0, sent_at=report.sent_at)
            # asked anew: the agent may have been revoked while it waited
            return _accepted(
                await self.batcher.submit(Delivery(fingerprint=fingerprint, report=question))
            )

    async def _wait(
        self, receive: Receive, outcome: Outcome, *, ticket: int, wait_s: float
    ) -> bool:
        """Wait for a command, or for the agent to go away.

        Raises:
            Disconnected: it went away.
        """
        assert outcome.node_id is not None, "only a known node waits"
        waits = asyncio.ensure_future(
            self.waiting.wait(outcome.node_id, ticket=ticket, wait_s=wait_s)
        )
        gone = asyncio.ensure_future(receive())
        try:
            await asyncio.wait(
                (waits, gone), timeout=wait_s + 1.0, return_when=asyncio.FIRST_COMPLETED
            )
            if waits.done():
                return waits.result()
            raise Disconnected
        finally:
            waits.cancel()
            gone.cancel()


def fingerprint_of(scope: Scope) -> str:
    """Return the fingerprint of the certificate that a request came with: SHA-256, in hex.

    Raises:
        CertificateMissing: it came without.
    """
    tls = scope.get("extensions", {}).get("tls", {})
    chain: Sequence[str] = tls.get("client_cert_chain") or ()
    if not chain:
        raise CertificateMissing
    return _fingerprint(chain[0])


@lru_cache(maxsize=_CERTIFICATES_MAX)
def _fingerprint(certificate_pem: str) -> str:
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate_pem)).hexdigest()


def _accepted(outcome: Outcome) -> bytes:
    """Return the answer to a report.

    Raises:
        PlaneError: it was not taken in.
    """
    if outcome.error is not None:
        raise outcome.error
    return encode_plane(
        ReportAccepted(accepted_sequence=outcome.accepted_sequence, commands=outcome.commands)
    )


def _decoded(body: bytes, kind: type[T]) -> T:
    if _NULL in body:
        raise ReportRefused("There is a null character in a text.")
    try:
        return decode_plane(body, kind)
    except PlaneMessageMalformed as error:
        raise ReportRefused(str(error)) from error


def _wait_s(scope: Scope) -> float:
    """Return for how long an answer without a command may be held back."""
    texts = parse_qs(scope.get("query_string", b"").decode("ascii", "replace")).get("wait_s")
    if not texts:
        return 0.0
    try:
        wait_s = float(texts[-1])
    except ValueError as error:
        raise ReportRefused(fields={"wait_s": ["Not a number of seconds."]}) from error
    if not wait_s >= 0:
        raise ReportRefused(fields={"wait_s": ["Not a number of seconds."]})
    return min(wait_s, WAIT_S_MAX)


async def _body(receive: Receive, *, nbytes_max: int) -> bytes:
    """Read a request to its end.

    Raises:
        Disconnected: it has none.
        RequestTooLarge: it is longer than it may be.
    """
    parts: list[bytes] = []
    nbytes = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        parts.append(message.get("body", b""))
        nbytes += len(parts[-1])
        if nbytes > nbytes_max:
            raise RequestTooLarge(f"At most {nbytes_max} bytes.")
        if not message.get("more_body", False):
            return b"".join(parts)


async def _refuse(send: Send, error: PlaneError) -> None:
    """Answer with problem details."""
    retry_after_s = error.extra.get("retry_after_s")
    headers = [] if retry_after_s is None else [(b"retry-after", str(retry_after_s).encode())]
    body = json.dumps(problem_of(error)).encode()
    await _respond(send, error.status, body, MEDIA_TYPE, headers)


async def _respond(
    send: Send,
    status: int,
    body: bytes,
    content: str,
    further: Sequence[tuple[bytes, bytes]] = (),
) -> None:
    headers = [
        (b"content-type", content.encode()),
        (b"content-length", str(len(body)).encode()),
        *further,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

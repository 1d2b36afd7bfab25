"""One webhook over HTTP: looked up once, sent to the address that was checked, never redirected."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

import httpx

from apps.webhooks.domain.addresses import first_allowed, url_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Resolve = Callable[[str, int], Sequence[str]]

#: Longest wait for a connection, and between two bytes of an answer, s.
CONNECT_S: Final = 3.0
ANSWER_S: Final = 10.0
_HTTPS_PORT: Final = 443
_HTTP_PORT: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an attempt."""

    # of the answer; None: there was none
    status: int | None
    # why it does not count as delivered; empty: it does
    problem: str


class Sender(Protocol):
    """Sends a body to an address; never raises for what the other end does."""

    def send(self, *, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Make one attempt. Delivered is what is answered with 2xx."""


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a name. Raises OSError where it has none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[4][0]) for address in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSender:
    """Sends over HTTP."""

    # whether it may go to addresses inside
    private_allowed: bool
    resolve: Resolve = resolve
    # another transport than the network, for tests
    transport: httpx.BaseTransport | None = None

    def send(self, *, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Make one attempt."""
        problem = url_problem(url, private_allowed=self.private_allowed)
        if problem:
            return Outcome(status=None, problem=problem)
        try:
            request = self._request(url, headers=headers, body=body)
            return self._answer(request)
        except (ValueError, OSError, httpx.HTTPError) as error:
            return Outcome(status=None, problem=f"{type(error).__name__}: {error}")

    def _request(self, url: str, *, headers: Mapping[str, str], body: bytes) -> httpx.Request:
        """Return a request to the checked address, in the name of the host that was asked for."""
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port or (_HTTPS_PORT if parts.scheme == "https" else _HTTP_PORT)
        address = first_allowed(self.resolve(host, port), private_allowed=self.private_allowed)
        return httpx.Request(
            "POST",
            httpx.URL(url).copy_with(host=address),
            headers={**headers, "Host": parts.netloc},
            content=body,
            # the certificate has to be the name's, wherever the connection goes
            extensions={
                "sni_hostname": host,
                "timeout": httpx.Timeout(ANSWER_S, connect=CONNECT_S).as_dict(),
            },
        )

    def _answer(self, request: httpx.Request) -> Outcome:
        """Send it; of the answer only the status is read."""
        # no proxy of the environment: it would look the name up again
        client = httpx.Client(trust_env=False, follow_redirects=False, transport=self.transport)
        with client:
            response = client.send(request, stream=True)
            try:
                status = response.status_code
            finally:
                response.close()
        problem = "" if response.is_success else f"answered {status}"
        return Outcome(status=status, problem=problem)

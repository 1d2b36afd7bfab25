"""The agent's line to the plane: a port, and its implementation by HTTPS with certificates."""

import ssl
from typing import Final, Protocol

import httpx

from hotswap.errors import PlaneMessageMalformed, PlaneUnreachable
from hotswap.node.agent.limits import AgentLimits
from hotswap.wire.plane import (
    RENEW_PATH,
    REPORT_PATH,
    Renewal,
    Renewed,
    Report,
    ReportAccepted,
    decode_plane,
    encode_plane,
)
from hotswap.wire.plane.base import PlaneValue

_OK: Final = 200
_FORBIDDEN: Final = 403
#: Answers that say that the report itself is wrong: it will be so the next time, too.
_REFUSALS: Final = frozenset({400, 413, 422})


class PlaneClient(Protocol):
    """Says reports, hears commands.

    Any number of calls at a time, from one event loop. A report that has a ``sequence`` may be sent
    again after an error, as it was: the plane takes it in once.
    """

    async def report(self, report: Report, *, wait_s: float = 0.0) -> ReportAccepted:
        """Send a report; the answer may be held back for ``wait_s`` until there is a command.

        Raises:
            PlaneUnreachable: nobody knows whether it arrived.
            PlaneMessageMalformed: it arrived and was refused as malformed, or the answer is.

        """

    async def renew(self, renewal: Renewal) -> Renewed:
        """Ask for the agent's next certificate.

        Raises:
            PlaneUnreachable: nobody knows whether it was signed; the present one is good as it was.
            PlaneMessageMalformed: it was refused as malformed, or the answer is.

        """

    async def use(self, context: ssl.SSLContext) -> None:
        """Come with another certificate from now on; what is under way is sent again with it."""

    async def close(self) -> None:
        """Close all connections."""


class HttpPlaneClient:
    """Implements `PlaneClient`."""

    def __init__(
        self,
        *,
        plane: str,
        context: ssl.SSLContext,
        limits: AgentLimits,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Talk to the plane at the address ``plane``.

        Args:
            plane: its port for agents.
            context: has the agent's certificate, and whom it trusts.
            limits: see `AgentLimits`.
            transport: how requests travel; None: over the network.

        """
        self._limits = limits
        self._plane = plane
        self._transport = transport
        self._client = self._connected(context)

    async def report(self, report: Report, *, wait_s: float = 0.0) -> ReportAccepted:
        """See `PlaneClient.report`."""
        query = {"wait_s": f"{wait_s:g}"} if wait_s else None
        answer = await self._post(REPORT_PATH, report, query=query, wait_s=wait_s)
        return decode_plane(answer, ReportAccepted)

    async def renew(self, renewal: Renewal) -> Renewed:
        """See `PlaneClient.renew`."""
        return decode_plane(await self._post(RENEW_PATH, renewal), Renewed)

    async def use(self, context: ssl.SSLContext) -> None:
        """See `PlaneClient.use`."""
        former, self._client = self._client, self._connected(context)
        await former.aclose()

    async def close(self) -> None:
        """See `PlaneClient.close`."""
        await self._client.aclose()

    def _connected(self, context: ssl.SSLContext) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=self._plane,
            verify=context,
            transport=self._transport,
            timeout=self._limits.request_s,
            headers={"content-type": "application/json"},
            trust_env=False,
        )

    async def _post(
        self,
        path: str,
        value: PlaneValue,
        *,
        query: dict[str, str] | None = None,
        wait_s: float = 0.0,
    ) -> bytes:
        """Return the answer; ask again where the certificate was replaced meanwhile."""
        timeout = httpx.Timeout(self._limits.request_s, read=self._limits.request_s + wait_s)
        content = encode_plane(value)
        while True:
            client = self._client
            try:
                response = await client.post(path, content=content, params=query, timeout=timeout)
            except httpx.HTTPError as error:
                if client is not self._client:
                    continue
                raise PlaneUnreachable(
                    f"{self._plane} does not answer ({type(error).__name__}: {error})"
                ) from error
            if response.status_code != _FORBIDDEN or client is self._client:
                return self._checked(response)

    def _checked(self, response: httpx.Response) -> bytes:
        """Return what was answered, if it was and is not too large."""
        status = response.status_code
        if status in _REFUSALS:
            raise PlaneMessageMalformed(
                f"{self._plane} refuses a message ({status}): {response.text[:500]}"
            )
        if status == _FORBIDDEN:
            raise PlaneUnreachable(
                f"{self._plane} does not let this node in (403: {response.text[:200]}): where its "
                "certificate was revoked, get a new token and start `hotswap agent --token` once"
            )
        if status != _OK:
            raise PlaneUnreachable(f"{self._plane} answers {status}: {response.text[:200]}")
        if len(response.content) > self._limits.answer_nbytes_max:
            raise PlaneMessageMalformed(f"the answer of {self._plane} is too large")
        return response.content

"""The agent's line to the plane: a port, and its implementation by HTTPS with certificates."""

import ssl
from typing import Final, Protocol

import httpx

from hotswap.errors import PlaneMessageMalformed, PlaneUnreachable
from hotswap.node.agent.limits import AgentLimits
from hotswap.wire.plane import (
    REPORT_PATH,
    Report,
    ReportAccepted,
    decode_plane,
    encode_plane,
)

_OK: Final = 200
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
        self._client = httpx.AsyncClient(
            base_url=plane,
            verify=context,
            transport=transport,
            timeout=limits.request_s,
            headers={"content-type": "application/json"},
            trust_env=False,
        )

    async def report(self, report: Report, *, wait_s: float = 0.0) -> ReportAccepted:
        """See `PlaneClient.report`."""
        timeout = httpx.Timeout(self._limits.request_s, read=self._limits.request_s + wait_s)
        try:
            response = await self._client.post(
                REPORT_PATH,
                content=encode_plane(report),
                params={"wait_s": f"{wait_s:g}"} if wait_s else None,
                timeout=timeout,
            )
        except httpx.HTTPError as error:
            raise PlaneUnreachable(
                f"{self._plane} does not answer ({type(error).__name__}: {error})"
            ) from error
        if response.status_code in _REFUSALS:
            raise PlaneMessageMalformed(
                f"{self._plane} refuses a report ({response.status_code}): {response.text[:500]}"
            )
        if response.status_code != _OK:
            raise PlaneUnreachable(
                f"{self._plane} answers {response.status_code}: {response.text[:200]}"
            )
        if len(response.content) > self._limits.answer_nbytes_max:
            raise PlaneMessageMalformed(f"the answer of {self._plane} is too large")
        return decode_plane(response.content, ReportAccepted)

    async def close(self) -> None:
        """See `PlaneClient.close`."""
        await self._client.aclose()

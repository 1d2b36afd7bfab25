"""HTTP connections of agents: what their certificate is becomes part of each request."""

import asyncio
import ssl
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class AgentProtocol(HttpToolsProtocol):
    """Puts the peer's certificate into ``scope["extensions"]["tls"]``, as ASGI's extension has it.

    Only a certificate that our authority has signed gets so far: the handshake refuses any other.
    One that came without has an empty chain.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Look at the certificate once per connection."""
        super().connection_made(transport)
        application, tls = self.app, {"client_cert_chain": _chain(transport)}

        async def identified(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - as ASGI has them
            scope["extensions"] = {**scope.get("extensions", {}), "tls": tls}
            await application(scope, receive, send)

        self.app = identified


def _chain(transport: asyncio.Transport) -> tuple[str, ...]:
    """Return the peer's certificate in PEM; nothing where it came without."""
    connection = transport.get_extra_info("ssl_object")
    certificate = connection.getpeercert(binary_form=True) if connection is not None else None
    return () if certificate is None else (ssl.DER_cert_to_PEM_cert(certificate),)

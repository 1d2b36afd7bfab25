"""A browser's end of a live connection, in memory: channels' own needs another server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from asgiref.testing import ApplicationCommunicator

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Longest wait for a message, s.
WAIT_S = 5.0


class Browser:
    """Connects to an ASGI application and takes what it sends."""

    def __init__(
        self, application: Any, path: str, headers: Iterable[tuple[bytes, bytes]] = ()
    ) -> None:
        route, _, query = path.partition("?")
        scope = {
            "type": "websocket",
            "path": route,
            "query_string": query.encode(),
            "headers": list(headers),
            "subprotocols": [],
        }
        self.scope = scope
        # published without types
        self._end: Any = ApplicationCommunicator(application, scope)  # type: ignore[no-untyped-call]

    async def connect(self) -> bool:
        await self._end.send_input({"type": "websocket.connect"})
        message = await self.take()
        return bool(message["type"] == "websocket.accept")

    async def receive_json_from(self) -> Any:
        message = await self.take()
        assert message["type"] == "websocket.send", message
        return json.loads(message["text"])

    async def disconnect(self) -> None:
        await self._end.send_input({"type": "websocket.disconnect", "code": 1000})
        await self._end.wait(WAIT_S)

    async def take(self) -> dict[str, Any]:
        message: dict[str, Any] = await self._end.receive_output(WAIT_S)
        return message

    async def hears_nothing(self) -> bool:
        return bool(await self._end.receive_nothing())

    async def end(self) -> None:
        await self._end.wait(WAIT_S)

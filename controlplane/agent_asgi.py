"""The process for agents, on a port of its own that takes client certificates."""

import os
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")
django.setup()

# only now can apps be imported
from apps.gateway.running import gateway_running  # noqa: E402 - as said above
from controlplane.handler import ThreadHandler  # noqa: E402 - as said above
from controlplane.memory import settle  # noqa: E402 - as said above
from controlplane.middleware import AGENTS, LISTENER  # noqa: E402 - as said above

if TYPE_CHECKING:
    from apps.gateway.http import Gateway

#: What the gateway answers; everything else on this port (health) is Django's.
PREFIX: Final = "/agent/"


class AgentApplication:
    """The gateway, from the server's start to its end, and Django beside it."""

    def __init__(self) -> None:
        """Begin without a gateway: the server's start makes it."""
        self._gateway: Gateway | None = None
        self._http = ThreadHandler()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:  # noqa: ANN401 - as ASGI has them
        """Pass a request on, marked as one that came to the agents' port."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and scope["path"].startswith(PREFIX):
            assert self._gateway is not None, "the server runs the lifespan first"
            await self._gateway(scope, receive, send)
        elif scope["type"] == "http":
            await self._http({**scope, LISTENER: AGENTS}, receive, send)

    async def _live(self, receive: Any, send: Any) -> None:  # noqa: ANN401 - as ASGI has them
        async with AsyncExitStack() as stack:
            await receive()
            self._gateway = await stack.enter_async_context(gateway_running())
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


application = AgentApplication()
settle()

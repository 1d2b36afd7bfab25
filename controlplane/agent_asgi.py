"""The process for agents, on a port of its own that takes client certificates."""

import os
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")
http = get_asgi_application()

# only now can apps be imported
from controlplane.middleware import AGENTS, LISTENER  # noqa: E402 - as said above


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:  # noqa: ANN401 - as ASGI has them
    """Pass a request on, marked as one that came to the agents' port."""
    if scope["type"] == "http":
        await http({**scope, LISTENER: AGENTS}, receive, send)

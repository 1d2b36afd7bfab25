"""Addresses of WebSockets."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

websocket_urlpatterns: list[Any] = []
if find_spec("apps.live") and find_spec("apps.live.routing"):
    websocket_urlpatterns += import_module("apps.live.routing").websocket_urlpatterns

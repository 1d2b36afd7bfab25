"""Addresses of WebSockets."""

from apps.live.routing import websocket_urlpatterns

__all__ = ["websocket_urlpatterns"]

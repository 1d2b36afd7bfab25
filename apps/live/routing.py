"""Addresses of live connections."""

from django.urls import path

from apps.live.consumers import LiveConsumer

websocket_urlpatterns = [path("ws/live", LiveConsumer.as_asgi())]

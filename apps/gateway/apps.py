"""Django's entry to this app."""

from django.apps import AppConfig


class GatewayConfig(AppConfig):
    """The side of the plane that agents see."""

    name = "apps.gateway"

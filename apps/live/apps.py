"""Django's entry to this app."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """What browsers see as it happens."""

    name = "apps.live"

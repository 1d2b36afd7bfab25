"""Django's entry to this app."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """What every other app stands on."""

    name = "apps.core"

"""Django's entry to this app."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Programs outside that want to be told."""

    name = "apps.webhooks"

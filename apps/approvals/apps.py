"""Django's entry to this app."""

from django.apps import AppConfig


class ApprovalsConfig(AppConfig):
    """Who said yes or no to what."""

    name = "apps.approvals"

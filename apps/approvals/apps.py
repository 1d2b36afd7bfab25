"""The app as Django knows it."""

from django.apps import AppConfig


class ApprovalsConfig(AppConfig):
    """Approvals."""

    name = "apps.approvals"
    label = "approvals"

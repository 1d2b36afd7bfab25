"""Django's entry to this app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The audit trail."""

    name = "apps.audit"

"""Django's entry to this app."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Training jobs."""

    name = "apps.jobs"

"""Django's entry to this app."""

from django.apps import AppConfig


class SwapsConfig(AppConfig):
    """Swaps: plan, workflow, history."""

    name = "apps.swaps"

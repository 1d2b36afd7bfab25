"""Django's entry to this app."""

from django.apps import AppConfig


class FleetConfig(AppConfig):
    """Clusters, failure domains, nodes, and how they are."""

    name = "apps.fleet"

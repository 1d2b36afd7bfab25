"""Django's entry to this app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who is who."""

    name = "apps.accounts"

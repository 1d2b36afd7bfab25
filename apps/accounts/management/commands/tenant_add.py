"""`manage.py tenant_add SLUG NAME`: make a tenant."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.accounts.services import tenant_create
from apps.core import clock
from apps.core.access import SYSTEM
from apps.core.errors import PlaneError


class Command(BaseCommand):
    """Makes a tenant."""

    help = "Make a tenant."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take its names."""
        parser.add_argument("slug")
        parser.add_argument("name")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401 - as Django has them
        """Make it, and print its id."""
        try:
            tenant = tenant_create(
                actor=SYSTEM, slug=options["slug"], name=options["name"], now=clock.now()
            )
        except PlaneError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(str(tenant.id))

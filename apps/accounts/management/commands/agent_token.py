"""`manage.py agent_token NODE --tenant SLUG`: let the agent of a node enrol, once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.accounts.models import Tenant
from apps.accounts.services import authority_of_plane, enrol_token_create
from apps.core import clock
from apps.core.access import SYSTEM
from apps.core.errors import PlaneError


class Command(BaseCommand):
    """Makes a token to enrol with."""

    help = (
        "Print a token with which the agent of a node enrols, once; and, to standard error, the "
        "digest by which it knows this plane."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which node of whom."""
        parser.add_argument("node")
        parser.add_argument("--tenant", required=True, help="slug of a tenant")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401 - as Django has them
        """Make it, and print its text, which is kept nowhere."""
        tenant = Tenant.objects.filter(slug=options["tenant"]).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {options['tenant']}.")
        now = clock.now()
        try:
            _, text = enrol_token_create(
                actor=SYSTEM, tenant_id=tenant.id, node=options["node"], now=now
            )
        except PlaneError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(text)
        self.stderr.write(f"--authority-digest {authority_of_plane(now=now).digest}")

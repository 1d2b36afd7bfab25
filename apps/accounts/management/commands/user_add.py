"""`manage.py user_add NAME --tenant SLUG --role ROLE`: make a person."""

import secrets
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from apps.accounts.models import Tenant
from apps.accounts.services import membership_set, user_create
from apps.core import clock
from apps.core.access import SYSTEM, Role
from apps.core.errors import PlaneError

PASSWORD_BYTES: Final = 12


class Command(BaseCommand):
    """Makes a person."""

    help = "Make a person, and print a password for them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take who it is, and what they are where."""
        parser.add_argument("username")
        parser.add_argument("--display-name", default="")
        parser.add_argument("--email", default="")
        parser.add_argument("--tenant", required=True, help="slug of a tenant")
        parser.add_argument(
            "--role", action="append", required=True, choices=[role.value for role in Role]
        )

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401 - as Django has them
        """Make them, and print a password that is kept nowhere."""
        tenant = Tenant.objects.filter(slug=options["tenant"]).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {options['tenant']}.")
        password, now = secrets.token_urlsafe(PASSWORD_BYTES), clock.now()
        try:
            with transaction.atomic():
                user = user_create(
                    actor=SYSTEM,
                    username=options["username"],
                    password=password,
                    display_name=options["display_name"],
                    email=options["email"],
                    now=now,
                )
                membership_set(
                    actor=SYSTEM,
                    tenant_id=tenant.id,
                    user_id=user.id,
                    roles=options["role"],
                    now=now,
                )
        except PlaneError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(password)

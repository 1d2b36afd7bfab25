"""``manage.py seed_demo``: a tenant, three people, five nodes, tokens for their agents."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from apps.accounts.models import Agent, Tenant
from apps.accounts.services import (
    enrol_token_create,
    membership_set,
    tenant_create,
    user_create,
)
from apps.core.access import SYSTEM, Role
from apps.core.clock import now
from apps.fleet.services.imports import Import, fleet_import

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable
    from datetime import datetime

TENANT: Final = ("aurora", "Aurora")
#: Name, display name, roles.
PEOPLE: Final = (
    ("otto", "Otto (operator)", (Role.VIEWER, Role.OPERATOR)),
    ("ada", "Ada (approver)", (Role.VIEWER, Role.APPROVER)),
    ("root", "Root (administrator)", (Role.ADMIN, Role.AUDITOR)),
)
NODES: Final = ("n1", "n2", "n3", "n4", "n5")
#: What the racks stand in, and what stands in them.
FLEET: Final = """
cluster: alder
classes:
  - {name: host, vendor: generic}
domains:
  - {kind: power, name: feed-a}
  - {kind: power, name: feed-b}
  - {kind: rack, name: r1, parent: power/feed-a}
  - {kind: rack, name: r2, parent: power/feed-b}
  - {kind: switch, name: leaf-1}
  - {kind: switch, name: leaf-2}
nodes:
  - {name: n1, class: host, address: 127.0.0.1, domains: [rack/r1, switch/leaf-1]}
  - {name: n2, class: host, address: 127.0.0.1, domains: [rack/r1, switch/leaf-1]}
  - {name: n3, class: host, address: 127.0.0.1, domains: [rack/r2, switch/leaf-2]}
  - {name: n4, class: host, address: 127.0.0.1, domains: [rack/r2, switch/leaf-2]}
  - {name: n5, class: host, address: 127.0.0.1, domains: [rack/r1, switch/leaf-1], spare: true}
"""
_PASSWORD_NBYTES: Final = 12


class Command(BaseCommand):
    """Seeds an empty plane; a second time it only makes tokens for agents that have none."""

    help = "Make the tenant, people and fleet of the demo; writes logins and tokens to a folder"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the folder."""
        parser.add_argument("folder", type=Path, help="for logins.json and enrol/<node>.token")

    def handle(self, *, folder: Path, **_options: object) -> None:
        """Seed."""
        if not settings.ENVIRONMENT.development:
            raise CommandError("the demo's people are for HOTSWAP_DEVELOPMENT=1 alone")
        at = now()
        with transaction.atomic():
            tenant, logins = _seed(at)
            tokens = _tokens(tenant, at)
        (folder / "enrol").mkdir(parents=True, exist_ok=True)
        if logins:
            text = json.dumps({"tenant": str(tenant.id), "logins": logins}, indent=1)
            _write_secret(folder / "logins.json", text + "\n")
        for node, token in tokens.items():
            _write_secret(folder / "enrol" / f"{node}.token", token)
        self.stdout.write(f"tenant {tenant.slug}: {len(logins)} logins, {len(tokens)} tokens")


def _seed(at: datetime) -> tuple[Tenant, dict[str, str]]:
    """Make tenant, people and fleet; return passwords by name, none if it is all there already."""
    slug, name = TENANT
    existing = Tenant.objects.filter(slug=slug).first()
    if existing is not None:
        return existing, {}
    tenant = tenant_create(actor=SYSTEM, slug=slug, name=name, now=at)
    logins = {}
    for username, display_name, roles in PEOPLE:
        logins[username] = secrets.token_urlsafe(_PASSWORD_NBYTES)
        user = user_create(
            actor=SYSTEM,
            username=username,
            password=logins[username],
            display_name=display_name,
            now=at,
        )
        membership_set(actor=SYSTEM, tenant_id=tenant.id, user_id=user.id, roles=roles, now=at)
    fleet = Import(tenant_id=tenant.id, form="yaml", text=FLEET)
    fleet_import(given=fleet, dry_run=False, actor=SYSTEM, at=at)
    return tenant, logins


def _tokens(tenant: Tenant, at: datetime) -> dict[str, str]:
    """Return a one-time token for each node whose agent has not enrolled."""
    enrolled = Agent.objects.filter(tenant=tenant, revoked_at=None).values_list("node", flat=True)
    missing: Iterable[str] = [node for node in NODES if node not in set(enrolled)]
    return {
        node: enrol_token_create(actor=SYSTEM, tenant_id=tenant.id, node=node, now=at)[1]
        for node in missing
    }


def _write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner reads, from the moment it is there."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)

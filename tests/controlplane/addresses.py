"""Every operation of the schema, ready to be asked about one tenant's things."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import models, transaction
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from apps.accounts.models import Agent, Membership, Tenant
from apps.accounts.services import token_create
from apps.audit.models import AuditEntry
from apps.core import canonical
from apps.core.access import SCOPES
from apps.jobs.models import Certificate, FoundJob
from apps.swaps.models import Hold, Swap
from apps.webhooks.models import Webhook
from tests.apps.approvals.making import opened
from tests.apps.signed_in import AT, a_person
from tests.apps.swaps.world import World

# signing in is for whoever is nobody yet
OPEN = frozenset({"POST /api/v1/session"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one address."""

    # in upper case
    method: str
    # with names in braces where ids go
    path: str
    # that it takes; None: signing in is enough
    role: str | None
    # that a token needs for it
    scope: str

    @property
    def name(self) -> str:
        """What it is called in the message of a failing test."""
        return f"{self.method} {self.path}"

    @property
    def is_about_one_thing(self) -> bool:
        """Whether the address holds an id."""
        return "{" in self.path


@cache
def operations() -> tuple[Operation, ...]:
    """Return every operation of the schema."""
    with GENERATOR_STATS.silence():
        # published without types
        schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return tuple(
        Operation(
            method=method.upper(),
            path=path,
            role=described["x-hotswap-role"],
            scope=described["x-hotswap-scope"],
        )
        for path, methods in schema["paths"].items()
        for method, described in methods.items()
    )


@dataclass(slots=True)
class Things:
    """One of everything that an address can be about, in the tenant "aurora"."""

    world: World = field(default_factory=World)
    # value for each name in braces, by the first word of the path; "" for any other
    ids: dict[str, UUID] = field(init=False)

    def __post_init__(self) -> None:
        """Make the things."""
        world, tenant = self.world, self.world.tenant
        type(world.job).objects.update(submitted_by=world.otto.as_json())
        swap = world.propose()
        question = opened(tenant, world.otto)
        owner = a_person("owner", tenant=tenant)
        token, _ = token_create(
            actor=world.otto,
            owner_id=owner.id,
            tenant_id=tenant.id,
            name="theirs",
            scopes=SCOPES,
            expires_at=None,
            now=AT,
        )
        agent = Agent.objects.create(
            tenant=tenant,
            node="n1",
            serial="1",
            fingerprint="1",
            certificate_expires_at=AT,
            created_at=AT,
        )
        member = Membership.objects.create(
            tenant=tenant, user=owner, roles=["viewer"], created_at=AT
        )
        webhook = Webhook.objects.create(
            tenant=tenant, url="https://hooks.example/1", creator="otto", created_at=AT
        )
        hold = Hold.objects.create(**row_of(Hold, job=world.job, tenant=tenant, swap=swap))
        certificate = Certificate.objects.create(
            **row_of(Certificate, job=world.job, digest="sha256:c", document={})
        )
        Swap.objects.filter(id=swap.id).update(certificate=certificate)
        found = FoundJob.objects.create(
            **row_of(FoundJob, tenant=tenant, node=world.nodes["n1"], name="found")
        )
        self.ids = {
            "agents": agent.id,
            "approvals": question.id,
            "certificate": certificate.id,
            "clusters": world.cluster.id,
            "found": found.id,
            "holds": hold.id,
            "jobs": world.job.id,
            "members": member.id,
            "nodes": world.nodes["n1"].id,
            "swaps": swap.id,
            "tokens": token.id,
            "webhooks": webhook.id,
        }

    def address(self, operation: Operation) -> str:
        """Return the address about these things; KeyError: say above what a new address is of."""
        parts = operation.path.split("/")
        for index, part in enumerate(parts):
            if part == "{id}":
                parts[index] = str(self.ids[parts[index - 1]])
            elif part.startswith("{"):
                parts[index] = str(self.ids[part.strip("{}")])
        return "/".join(parts)

    def body(self, operation: Operation) -> dict[str, Any] | None:
        """Return a body that names these things wherever the operation takes an id."""
        if operation.method in {"GET", "DELETE"}:
            return None
        world = self.world
        return {
            "tenant": str(world.tenant.id),
            "tenant_id": str(world.tenant.id),
            "cluster": str(world.cluster.id),
            "job": str(world.job.id),
            "swap": str(self.ids["swaps"]),
            "rank": 1,
            "name": "new",
            "username": "owner",
            "roles": ["viewer"],
            "scopes": ["read"],
            "node": "n9",
            "url": "https://hooks.example/2",
            "kinds": [],
            "reason": "It is asked for.",
            "plan_digest": "sha256:plan",
            "script": "gpt.py",
            "world_size": 1,
            "format": "yaml",
            "text": "nodes: []",
            "dry_run": True,
            "state": "draining",
            "is_spare": True,
            "engaged": True,
            "max_open_tenant": 1,
        }


def row_of(model: type[models.Model], **values: Any) -> dict[str, Any]:
    """Return values for a row, with something in every other field that has to have something."""
    known = {each.name for each in model._meta.concrete_fields}
    row = {name: value for name, value in values.items() if name in known}
    for each in model._meta.concrete_fields:
        if each.name in row or each.null or each.has_default() or each.primary_key:
            continue
        if isinstance(each, models.DateTimeField):
            row[each.name] = AT
        elif isinstance(each, models.JSONField):
            row[each.name] = {}
        elif isinstance(each, models.CharField | models.TextField):
            row[each.name] = next((value for value, _ in each.flatchoices), "x")
        elif isinstance(each, models.IntegerField):
            row[each.name] = 1
    return row


def ids_of(tenant: Tenant) -> frozenset[str]:
    """Return the ids of everything that belongs to a tenant, and its own."""
    return frozenset(_ids(tenant)) | {str(tenant.id)}


def _ids(tenant: Tenant) -> Iterator[str]:
    for model in apps.get_models():
        names = {each.name for each in model._meta.concrete_fields}
        for lookup in ("tenant", "tenant_id", "job__tenant", "node__tenant", "swap__tenant"):
            first = lookup.split("__", maxsplit=1)[0]
            if first in names and model is not AuditEntry and model._meta.pk.name == "id":
                for value in model._default_manager.filter(**{lookup: tenant.id}).values_list(
                    "pk", flat=True
                ):
                    if isinstance(value, UUID):
                        yield str(value)
                break


def ask(client: APIClient, operation: Operation, things: Things) -> Any:
    """Ask, and undo whatever the answer has changed."""
    client.raise_request_exception = False
    cookies = client.cookies.output()
    with transaction.atomic():
        answer = client.generic(
            operation.method,
            things.address(operation),
            data=_encoded(things.body(operation)),
            content_type="application/json",
        )
        transaction.set_rollback(True)
    # whoever has signed out is signed in again
    client.cookies.load(cookies.replace("Set-Cookie: ", ""))
    return answer


def _encoded(body: dict[str, Any] | None) -> str:
    return "" if body is None else canonical.encode(body).decode("ascii")

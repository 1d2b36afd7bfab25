"""People, tenants and requests for tests of approvals."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.accounts.models import Membership, Tenant, User
from apps.approvals.models import Request
from apps.approvals.services import Question, approval_open
from apps.core.access import Actor, ActorKind, Role
from apps.core.ids import new_id

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
PLAN = "sha256:plan"


def tenant(slug: str = "aurora") -> Tenant:
    return Tenant.objects.create(slug=slug, name=slug.title(), created_at=NOW)


def person(name: str, of: Tenant, *roles: Role) -> Actor:
    user = User.objects.create(username=name, display_name=name.title(), created_at=NOW)
    names = [role.value for role in roles]
    Membership.objects.create(user=user, tenant=of, roles=names, created_at=NOW)
    return Actor(
        kind=ActorKind.PERSON,
        id=str(user.id),
        name=user.display_name,
        roles={of.id: frozenset(roles)},
    )


def question(of: Tenant, **changes: Any) -> Question:
    fields: dict[str, Any] = {
        "tenant_id": of.id,
        "subject_kind": "swap",
        "subject_id": new_id(),
        "plan_digest": PLAN,
        "evidence_digest": "sha256:evidence",
        "summary": "Move rank 2 of gpt from n3 to n5.",
        "document": {"plan": {"rank": 2}},
        "expires_at": NOW + timedelta(hours=1),
    }
    return Question(**(fields | changes))


def opened(of: Tenant, proposer: Actor, **changes: Any) -> Request:
    with transaction.atomic():
        return approval_open(question=question(of, **changes), proposer=proposer, now=NOW)


def unknown_id() -> UUID:
    return new_id()

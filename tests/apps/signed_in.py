"""People, and browsers and programs in which they are signed in."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from rest_framework.test import APIClient

from apps.accounts.models import Membership, Tenant, User
from apps.accounts.selectors import actor_of_user
from apps.accounts.services import token_create
from apps.core.access import SCOPES, Actor, Role

AT = datetime(2026, 1, 1, tzinfo=UTC)
PASSWORD = "correct horse battery staple"  # noqa: S105 - of people who do not exist


def a_tenant(slug: str = "aurora") -> Tenant:
    return Tenant.objects.get_or_create(
        slug=slug, defaults={"name": slug.title(), "created_at": AT}
    )[0]


def a_person(name: str, *roles: Role, tenant: Tenant | None = None) -> User:
    """Return a person with roles in a tenant, "aurora" if none is given; no roles: in none."""
    user = User(username=name, display_name=name.title(), created_at=AT)
    user.set_password(PASSWORD)
    user.save(force_insert=True)
    if roles:
        Membership.objects.create(
            user=user, tenant=tenant or a_tenant(), roles=[*roles], created_at=AT
        )
    return user


def an_actor(name: str, *roles: Role, tenant: Tenant | None = None) -> Actor:
    return actor_of_user(a_person(name, *roles, tenant=tenant))


def a_browser(user: User) -> APIClient:
    """Return a client with a person's session, which the server takes without CSRF tokens."""
    client = APIClient()
    client.force_login(user)
    return client


def a_program(user: User, *scopes: str, tenant: Tenant | None = None) -> APIClient:
    """Return a client with a token of a person, with all scopes if none is given."""
    _, text = token_create(
        actor=actor_of_user(user),
        owner_id=user.id,
        tenant_id=(tenant or a_tenant()).id,
        name="script",
        scopes=scopes or sorted(SCOPES),
        expires_at=None,
        now=AT,
    )
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return client


def ids(response: Any) -> list[UUID]:
    """Return the ids of a page."""
    return [UUID(str(row["id"])) for row in response.json()["results"]]

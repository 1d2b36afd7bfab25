"""People and tenants."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from apps.accounts.models import Membership, Tenant, User
from apps.core.access import Actor, Role, visible_tenants


def tenants_of(actor: Actor) -> list[Tenant]:
    """Return the tenants that an actor can see, by slug."""
    return list(Tenant.objects.filter(id__in=visible_tenants(actor)).order_by("slug"))


def me(*, actor: Actor, user: User | None, csrf_token: str) -> dict[str, Any]:
    """Return what somebody is told about themselves."""
    return {
        "id": actor.id,
        "username": user.username if user else actor.name,
        "display_name": user.display_name if user else actor.name,
        "kind": actor.kind.value,
        "scopes": None if actor.scopes is None else sorted(actor.scopes),
        "tenants": [
            {
                "id": tenant.id,
                "slug": tenant.slug,
                "name": tenant.name,
                "roles": sorted(actor.roles[tenant.id]),
            }
            for tenant in tenants_of(actor)
        ],
        "csrf_token": csrf_token,
    }


def people_with_role(*, tenant_id: UUID, role: Role, without: Iterable[str] = ()) -> list[User]:
    """Return active people who have a role in a tenant, by name.

    Args:
        tenant_id: where.
        role: which.
        without: ids of people to leave out.
    """
    rows = Membership.objects.filter(tenant_id=tenant_id, user__is_active=True)
    left_out = set(without)
    # roles are a short list within JSON, which the two databases ask about in different ways
    return sorted(
        (
            row.user
            for row in rows.select_related("user")
            if role.value in row.roles and str(row.user_id) not in left_out
        ),
        key=lambda user: user.username,
    )

"""Who somebody is to the rest of the plane."""

from collections.abc import Iterable
from datetime import datetime
from types import MappingProxyType
from uuid import UUID

from django.db.models import Q

from apps.accounts.domain.secret_texts import LENGTH_MAX, secret_digest
from apps.accounts.models import ApiToken, Membership, User
from apps.core.access import Actor, ActorKind, Role


def actor_of_user(user: User) -> Actor:
    """Return a person with their roles in every tenant."""
    rows = Membership.objects.filter(user=user).values_list("tenant_id", "roles")
    return Actor(kind=ActorKind.PERSON, id=str(user.id), name=user.username, roles=_roles(rows))


def actor_of_token(*, text: str, now: datetime) -> tuple[ApiToken, Actor] | None:
    """Return a token that is good, with its owner's roles in its tenant; None for any other."""
    if len(text) > LENGTH_MAX:
        return None
    alive = Q(expires_at=None) | Q(expires_at__gt=now)
    token = (
        ApiToken.objects.filter(alive, digest=secret_digest(text), revoked_at=None)
        .filter(owner__is_active=True)
        .select_related("owner")
        .first()
    )
    if token is None:
        return None
    rows = Membership.objects.filter(user=token.owner, tenant_id=token.tenant_id)
    actor = Actor(
        kind=ActorKind.TOKEN,
        id=str(token.id),
        name=f"{token.owner.username}/{token.name}",
        roles=_roles(rows.values_list("tenant_id", "roles")),
        scopes=frozenset(token.scopes),
    )
    return token, actor


def _roles(rows: Iterable[tuple[UUID, list[str]]]) -> MappingProxyType[UUID, frozenset[Role]]:
    known = {role.value for role in Role}
    # a role that an older or newer release knows gives nothing
    return MappingProxyType(
        {tenant: frozenset(Role(role) for role in roles if role in known) for tenant, roles in rows}
    )

"""Tokens of programs."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from apps.accounts.domain.names import scopes_checked
from apps.accounts.domain.secret_texts import CHANCE_BYTES, TOKEN_PREFIX, secret_of
from apps.accounts.errors import AccountUnknown
from apps.accounts.models import ApiToken
from apps.audit.services import audit_record
from apps.core.access import Actor
from apps.core.errors import Invalid

# when a token was used is written once in so long
USED_EVERY: Final = timedelta(minutes=1)


@transaction.atomic
def token_create(
    *,
    actor: Actor,
    owner_id: UUID,
    tenant_id: UUID,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime | None,
    now: datetime,
) -> tuple[ApiToken, str]:
    """Make a token with its owner's roles in one tenant, limited to scopes.

    Returns:
        The row, and the token's text, which is kept nowhere.

    Raises:
        Invalid: if a scope does not exist, or the token has expired already.
    """
    if expires_at is not None and expires_at <= now:
        raise Invalid(fields={"expires_at": ["This has passed."]})
    secret = secret_of(prefix=TOKEN_PREFIX, chance=secrets.token_urlsafe(CHANCE_BYTES))
    token = ApiToken.objects.create(
        tenant_id=tenant_id,
        owner_id=owner_id,
        name=name,
        prefix=secret.shown,
        digest=secret.digest,
        scopes=scopes_checked(scopes),
        expires_at=expires_at,
        created_at=now,
    )
    _record(token, actor=actor, action="token.create", now=now)
    return token, secret.text


@transaction.atomic
def token_revoke(*, actor: Actor, token: ApiToken, now: datetime) -> None:
    """End a token at once.

    Raises:
        AccountUnknown: if it was revoked already.
    """
    unrevoked = ApiToken.objects.filter(id=token.id, revoked_at=None)
    if not unrevoked.update(revoked_at=now):
        raise AccountUnknown
    _record(token, actor=actor, action="token.revoke", now=now)


def token_used(*, token: ApiToken, now: datetime) -> None:
    """Note that a token was used, if that was not noted lately."""
    if token.last_used_at is None or token.last_used_at < now - USED_EVERY:
        ApiToken.objects.filter(id=token.id).update(last_used_at=now)


def _record(token: ApiToken, *, actor: Actor, action: str, now: datetime) -> None:
    audit_record(
        at=now,
        actor=actor,
        tenant_id=token.tenant_id,
        action=action,
        subject=f"token:{token.id}",
        detail={"name": token.name, "prefix": token.prefix, "scopes": token.scopes},
    )

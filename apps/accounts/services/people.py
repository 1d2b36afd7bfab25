"""Tenants, people, and what a person is in a tenant."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from apps.accounts.domain.names import name_checked, roles_checked
from apps.accounts.errors import AccountUnknown, NameTaken
from apps.accounts.models import Membership, Tenant, User
from apps.audit.services import audit_record
from apps.core.access import Actor
from apps.core.errors import Invalid


@transaction.atomic
def tenant_create(*, actor: Actor, slug: str, name: str, now: datetime) -> Tenant:
    """Make a tenant.

    Raises:
        Invalid: if the slug is none.
        NameTaken: if another tenant has it.
    """
    name_checked(slug, field="slug")
    try:
        with transaction.atomic():
            tenant = Tenant.objects.create(slug=slug, name=name, created_at=now)
    except IntegrityError as error:
        raise NameTaken(f"There is a tenant {slug}.") from error
    audit_record(
        at=now,
        actor=actor,
        tenant_id=tenant.id,
        action="tenant.create",
        subject=f"tenant:{tenant.id}",
        detail={"slug": slug, "name": name},
    )
    return tenant


@transaction.atomic
def user_create(
    *,
    actor: Actor,
    username: str,
    password: str,
    display_name: str = "",
    email: str = "",
    now: datetime,
) -> User:
    """Make a person who can sign in, and is nothing anywhere yet.

    Raises:
        Invalid: if the password is too weak, or the name none.
        NameTaken: if another person has the name.
    """
    user = User(
        username=name_checked(username, field="username"),
        display_name=display_name or username,
        email=email,
        created_at=now,
    )
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid(fields={"password": list(error.messages)}) from error
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError as error:
        raise NameTaken(f"There is a person {username}.") from error
    _record(actor, now, None, "user.create", user, {"username": username})
    return user


@transaction.atomic
def user_deactivate(*, actor: Actor, user_id: UUID, now: datetime) -> None:
    """Let a person sign in no more; sessions and tokens of theirs end at once."""
    changed = User.objects.filter(id=user_id, is_active=True).update(is_active=False)
    if not changed:
        raise AccountUnknown
    _record(actor, now, None, "user.deactivate", User.objects.get(id=user_id), {})


@transaction.atomic
def membership_set(
    *, actor: Actor, tenant_id: UUID, user_id: UUID, roles: Iterable[str], now: datetime
) -> Membership:
    """Say what a person is in a tenant, whatever they were before.

    Raises:
        Invalid: if a role does not exist, or none is given.
        AccountUnknown: if there is no such person or tenant.
    """
    checked = roles_checked(roles)
    if not checked:
        raise Invalid(fields={"roles": ["Name at least one, or remove the person."]})
    user = User.objects.filter(id=user_id).first()
    if user is None or not Tenant.objects.filter(id=tenant_id).exists():
        raise AccountUnknown
    membership, _ = Membership.objects.update_or_create(
        user=user,
        tenant_id=tenant_id,
        defaults={"roles": checked},
        create_defaults={"roles": checked, "created_at": now},
    )
    _record(actor, now, tenant_id, "membership.set", user, {"roles": checked})
    return membership


@transaction.atomic
def membership_remove(*, actor: Actor, membership: Membership, now: datetime) -> None:
    """Take a person out of a tenant."""
    membership.delete()
    _record(actor, now, membership.tenant_id, "membership.remove", membership.user, {})


def _record(
    actor: Actor,
    now: datetime,
    tenant_id: UUID | None,
    action: str,
    user: User,
    detail: dict[str, object],
) -> None:
    audit_record(
        at=now,
        actor=actor,
        tenant_id=tenant_id,
        action=action,
        subject=f"user:{user.id}",
        detail={"name": user.username, **detail},
    )

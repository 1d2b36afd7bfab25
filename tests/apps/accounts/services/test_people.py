"""People are made, are something in a tenant, and leave."""

import pytest

from apps.accounts.errors import AccountUnknown, NameTaken
from apps.accounts.models import Membership, User
from apps.accounts.selectors import people_with_role
from apps.accounts.services import (
    membership_remove,
    membership_set,
    tenant_create,
    user_create,
    user_deactivate,
)
from apps.audit.models import AuditEntry
from apps.core.access import SYSTEM, Role
from apps.core.errors import Invalid
from apps.core.ids import new_id
from tests.apps.signed_in import AT, PASSWORD, a_person, a_tenant

pytestmark = pytest.mark.django_db


def made(username: str = "otto", password: str = PASSWORD) -> User:
    return user_create(actor=SYSTEM, username=username, password=password, now=AT)


def test_a_person_can_sign_in_and_is_nothing_anywhere() -> None:
    otto = made()
    assert otto.check_password(PASSWORD)
    assert (otto.display_name, otto.memberships.count()) == ("otto", 0)


@pytest.mark.parametrize("password", ["short", "password1234"])
def test_a_weak_password_is_refused(password: str) -> None:
    with pytest.raises(Invalid) as caught:
        made(password=password)
    assert list(caught.value.fields) == ["password"]
    assert User.objects.count() == 0


@pytest.mark.parametrize("name", ["", "Otto", "otto otto", "-otto", "o" * 64])
def test_a_name_is_one_for_machines(name: str) -> None:
    with pytest.raises(Invalid):
        made(name)


def test_a_name_is_taken_once() -> None:
    made()
    with pytest.raises(NameTaken):
        made()
    tenant_create(actor=SYSTEM, slug="aurora", name="Aurora", now=AT)
    with pytest.raises(NameTaken):
        tenant_create(actor=SYSTEM, slug="aurora", name="Another", now=AT)


def test_what_a_person_is_replaces_what_they_were() -> None:
    otto, tenant = made(), a_tenant()
    for roles in (["viewer"], ["operator", "approver", "operator"]):
        membership_set(actor=SYSTEM, tenant_id=tenant.id, user_id=otto.id, roles=roles, now=AT)
    assert Membership.objects.get().roles == ["approver", "operator"]


@pytest.mark.parametrize("roles", [[], ["emperor"]])
def test_a_person_is_something_that_exists(roles: list[str]) -> None:
    with pytest.raises(Invalid):
        membership_set(
            actor=SYSTEM, tenant_id=a_tenant().id, user_id=made().id, roles=roles, now=AT
        )


def test_nobody_is_nothing_nowhere() -> None:
    with pytest.raises(AccountUnknown):
        membership_set(
            actor=SYSTEM, tenant_id=a_tenant().id, user_id=new_id(), roles=["viewer"], now=AT
        )
    with pytest.raises(AccountUnknown):
        membership_set(
            actor=SYSTEM, tenant_id=new_id(), user_id=made().id, roles=["viewer"], now=AT
        )


def test_people_are_found_by_role() -> None:
    ada, zoe = a_person("ada", Role.APPROVER), a_person("zoe", Role.APPROVER, Role.OPERATOR)
    a_person("otto", Role.OPERATOR)
    gone = a_person("gone", Role.APPROVER)
    a_person("far", Role.APPROVER, tenant=a_tenant("borealis"))
    user_deactivate(actor=SYSTEM, user_id=gone.id, now=AT)
    tenant_id = a_tenant().id
    assert people_with_role(tenant_id=tenant_id, role=Role.APPROVER) == [ada, zoe]
    assert people_with_role(tenant_id=tenant_id, role=Role.APPROVER, without=[str(ada.id)]) == [zoe]


def test_every_step_is_in_the_trail() -> None:
    tenant = tenant_create(actor=SYSTEM, slug="aurora", name="Aurora", now=AT)
    otto = made()
    membership = membership_set(
        actor=SYSTEM, tenant_id=tenant.id, user_id=otto.id, roles=["viewer"], now=AT
    )
    membership_remove(actor=SYSTEM, membership=membership, now=AT)
    user_deactivate(actor=SYSTEM, user_id=otto.id, now=AT)
    assert [entry.action for entry in AuditEntry.objects.order_by("id")] == [
        "audit.chain_started",
        "tenant.create",
        "user.create",
        "membership.set",
        "membership.remove",
        "user.deactivate",
    ]


def test_nobody_is_deactivated_twice() -> None:
    otto = made()
    user_deactivate(actor=SYSTEM, user_id=otto.id, now=AT)
    with pytest.raises(AccountUnknown):
        user_deactivate(actor=SYSTEM, user_id=otto.id, now=AT)

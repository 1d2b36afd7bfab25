"""Who may do what follows from roles by tenant, and for a token from its scopes too."""

from uuid import UUID

import pytest

from apps.core.access import SYSTEM, Actor, ActorKind, Role, visible_tenants

HERE, THERE = UUID(int=1), UUID(int=2)


def person(*roles: Role) -> Actor:
    return Actor(kind=ActorKind.PERSON, id="1", name="otto", roles={HERE: frozenset(roles)})


@pytest.mark.parametrize("role", list(Role))
def test_whoever_is_anything_in_a_tenant_may_look(role: Role) -> None:
    assert person(role).may(HERE, Role.VIEWER)
    assert visible_tenants(person(role)) == {HERE}


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("wanted", [role for role in Role if role is not Role.VIEWER])
def test_no_role_is_another(role: Role, wanted: Role) -> None:
    assert person(role).may(HERE, wanted) == (role is wanted)


def test_a_role_in_one_tenant_is_none_in_another() -> None:
    assert not person(*Role).may(THERE, Role.VIEWER)
    assert person(Role.OPERATOR).may_anywhere(Role.OPERATOR)
    assert not person(Role.OPERATOR).may_anywhere(Role.APPROVER)


def test_a_tenant_without_a_role_is_not_seen() -> None:
    assert visible_tenants(person()) == frozenset()


def test_the_system_may_everything() -> None:
    assert SYSTEM.may(THERE, Role.ADMIN)
    assert SYSTEM.may_anywhere(Role.APPROVER)


def test_only_a_token_is_limited_by_scopes() -> None:
    token = Actor(kind=ActorKind.TOKEN, id="1", name="ci", scopes=frozenset({"read"}))
    assert (token.has_scope("read"), token.has_scope("admin")) == (True, False)
    assert person(Role.VIEWER).has_scope("admin")

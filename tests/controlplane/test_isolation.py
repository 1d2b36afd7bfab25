"""Roles x addresses x tenants, from the schema itself: a new address is asked about at once.

Nothing of one tenant is ever told to another; whoever lacks a role is refused; a token does what
its scopes say and no more; and no question is answered with a fault.
"""

import pytest
from rest_framework.test import APIClient

from apps.core.access import SCOPES, Role
from tests.apps.signed_in import a_browser, a_person, a_program, a_tenant
from tests.controlplane.addresses import OPEN, Operation, Things, ask, ids_of, operations

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

FAULT = 500
# of what all tenants share, a tenant sees its own part, which may be none
SHARED = ("/api/v1/clusters/",)
# seen by whoever they belong to, and by administrators, who have no other role in these tests
PERSONAL = ("/api/v1/tokens/",)
# refused by who one is, beside one's role: an approver who is not the proposer; a person
DECIDED_BY_SERVICE = ("/approve", "/refuse")


@pytest.fixture
def things() -> Things:
    return Things()


def asked(operation: Operation) -> bool:
    return operation.name not in OPEN


def test_the_schema_has_addresses_about_things() -> None:
    assert len(operations()) > 50
    assert len([one for one in operations() if one.is_about_one_thing]) > 25


def test_nobody_gets_anything(things: Things) -> None:
    found = {
        one.name: ask(APIClient(), one, things).status_code for one in operations() if asked(one)
    }
    assert {name: code for name, code in found.items() if code != 401} == {}


def test_what_belongs_to_another_tenant_is_not_there(things: Things) -> None:
    outsider = a_browser(a_person("outsider", *Role, tenant=a_tenant("borealis")))
    found = {
        one.name: ask(outsider, one, things).status_code
        for one in operations()
        if one.is_about_one_thing and not one.path.startswith(SHARED)
    }
    assert {name: code for name, code in found.items() if code != 404} == {}


def test_nothing_of_another_tenant_is_in_any_answer(things: Things) -> None:
    theirs = ids_of(things.world.tenant)
    outsider = a_browser(a_person("outsider", *Role, tenant=a_tenant("borealis")))
    told = {}
    for one in operations():
        text = ask(outsider, one, things).content.decode()
        sent = things.address(one) + str(things.body(one))
        leaked = {each for each in theirs if each in text and each not in sent}
        if leaked or '"gpt"' in text:
            told[one.name] = text
    assert told == {}


def test_nothing_is_made_in_another_tenant(things: Things) -> None:
    outsider = a_browser(a_person("outsider", *Role, tenant=a_tenant("borealis")))
    found = {
        one.name: ask(outsider, one, things).status_code
        for one in operations()
        if one.method in {"POST", "PUT", "PATCH"} and not one.is_about_one_thing and asked(one)
    }
    # an import into one's own tenant takes no tenant, and a dry run makes nothing
    assert {name: code for name, code in found.items() if code not in {403, 404, 422}} == {}


@pytest.mark.parametrize("role", list(Role))
def test_whoever_lacks_the_role_is_refused_and_whoever_has_it_is_not(
    things: Things, role: Role
) -> None:
    member = a_browser(a_person("member", role, tenant=things.world.tenant))
    wrong = {}
    for one in operations():
        if not asked(one) or one.path.startswith(PERSONAL):
            continue
        code = ask(member, one, things).status_code
        has = one.role in {None, Role.VIEWER.value, role.value}
        refused = code == 403 and not one.path.endswith(DECIDED_BY_SERVICE)
        if code in {401, 404} or code >= FAULT or refused == has:
            wrong[one.name] = (code, one.role)
    assert wrong == {}


def test_a_token_without_the_scope_is_refused(things: Things) -> None:
    member = a_person("member", *Role, tenant=things.world.tenant)
    wrong = {}
    for scope in sorted(SCOPES):
        program = a_program(member, *(SCOPES - {scope}), tenant=things.world.tenant)
        for one in operations():
            if asked(one) and one.scope == scope:
                code = ask(program, one, things).status_code
                if code != 403:
                    wrong[one.name] = code
    assert wrong == {}


def test_a_token_with_the_scope_is_not(things: Things) -> None:
    member = a_person("member", *Role, tenant=things.world.tenant)
    wrong = {}
    for scope in sorted(SCOPES):
        program = a_program(member, scope, tenant=things.world.tenant)
        for one in operations():
            # a token makes no tokens; deciding is for people whom the service knows
            personal = one.path.endswith((*DECIDED_BY_SERVICE, "/tokens"))
            if asked(one) and one.scope == scope and not personal:
                code = ask(program, one, things).status_code
                if code in {401, 403, 404} or code >= FAULT:
                    wrong[one.name] = code
    assert wrong == {}

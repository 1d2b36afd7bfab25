import json
import stat
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command

from apps.accounts.models import Agent, Membership, Tenant
from apps.core.access import Role
from apps.fleet.models import Node

pytestmark = pytest.mark.django_db


def seed(folder: Path) -> None:
    call_command("seed_demo", str(folder), verbosity=0)


def test_the_demo_has_three_people_who_can_sign_in_with_different_roles(tmp_path: Path) -> None:
    seed(tmp_path)
    known = json.loads((tmp_path / "logins.json").read_text())
    assert sorted(known["logins"]) == ["ada", "otto", "root"]
    for name, password in known["logins"].items():
        assert authenticate(username=name, password=password) is not None
    roles = {row.user.username: set(row.roles) for row in Membership.objects.all()}
    assert Role.APPROVER in roles["ada"]
    assert Role.APPROVER not in roles["otto"]
    assert Role.OPERATOR in roles["otto"]


def test_five_nodes_stand_in_two_racks_one_of_them_spare(tmp_path: Path) -> None:
    seed(tmp_path)
    nodes = Node.objects.order_by("name")
    assert [node.name for node in nodes] == ["n1", "n2", "n3", "n4", "n5"]
    assert {node.rack.name for node in nodes if node.rack} == {"r1", "r2"}
    assert [node.name for node in nodes if node.is_spare] == ["n5"]


def test_secrets_are_for_their_owner_alone(tmp_path: Path) -> None:
    seed(tmp_path)
    files = [tmp_path / "logins.json", *(tmp_path / "enrol").iterdir()]
    assert len(files) == 6
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_second_time_people_stay_and_only_agents_that_have_not_enrolled_get_tokens(
    tmp_path: Path,
) -> None:
    seed(tmp_path)
    logins = (tmp_path / "logins.json").read_text()
    tenant = Tenant.objects.get(slug="aurora")
    at = tenant.created_at
    Agent.objects.create(
        tenant=tenant,
        node="n1",
        serial="1",
        fingerprint="f",
        certificate_expires_at=at,
        created_at=at,
    )
    for token in (tmp_path / "enrol").iterdir():
        token.unlink()
    seed(tmp_path)
    assert (tmp_path / "logins.json").read_text() == logins
    assert sorted(path.stem for path in (tmp_path / "enrol").iterdir()) == ["n2", "n3", "n4", "n5"]

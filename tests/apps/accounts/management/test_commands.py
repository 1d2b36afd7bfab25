"""The first tenant, the first person and the first agent are made from the command line."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from rest_framework.test import APIClient

from apps.accounts.authority import CERTIFICATE_FILE
from apps.accounts.models import EnrolToken, Membership, Tenant, User
from hotswap.node.agent.credentials import authority_digest

pytestmark = pytest.mark.django_db


def said(*arguments: str, stderr: StringIO | None = None) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=stderr)
    return out.getvalue().strip()


def test_a_person_signs_in_with_the_password_that_was_printed() -> None:
    assert said("tenant_add", "aurora", "Aurora") == str(Tenant.objects.get().id)
    password = said(
        "user_add", "root", "--tenant", "aurora", "--role", "admin", "--role", "operator"
    )
    assert Membership.objects.get().roles == ["admin", "operator"]
    answer = APIClient().post("/api/v1/session", {"username": "root", "password": password})
    assert answer.json()["username"] == "root"


def test_an_agent_gets_its_token_and_what_it_knows_the_plane_by(
    settings: Settings, tmp_path: Path
) -> None:
    settings.HOTSWAP_AUTHORITY_DIR = tmp_path
    said("tenant_add", "aurora", "Aurora")
    err = StringIO()
    token = said("agent_token", "n1", "--tenant", "aurora", stderr=err)
    assert token.startswith("hse_")
    pem = (tmp_path / CERTIFICATE_FILE).read_text()
    assert err.getvalue().split() == ["--authority-digest", authority_digest(pem)]
    assert EnrolToken.objects.get().node == "n1"


@pytest.mark.parametrize(
    "arguments",
    [
        ("tenant_add", "Au ro ra", "Aurora"),
        ("user_add", "root", "--tenant", "nowhere", "--role", "admin"),
        ("agent_token", "n1", "--tenant", "nowhere"),
    ],
)
def test_what_makes_no_sense_is_said(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        said(*arguments)


def test_a_person_is_made_whole_or_not_at_all() -> None:
    said("tenant_add", "aurora", "Aurora")
    said("user_add", "root", "--tenant", "aurora", "--role", "admin")
    with pytest.raises(CommandError, match="There is a person root"):
        said("user_add", "root", "--tenant", "aurora", "--role", "admin")
    assert User.objects.count() == 1

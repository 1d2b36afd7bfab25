"""The first tenant, the first person and the first agent are made from the command line."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from apps.accounts.models import EnrolToken, Membership, Tenant, User

pytestmark = pytest.mark.django_db


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().strip()


def test_a_person_signs_in_with_the_password_that_was_printed() -> None:
    assert said("tenant_add", "aurora", "Aurora") == str(Tenant.objects.get().id)
    password = said(
        "user_add", "root", "--tenant", "aurora", "--role", "admin", "--role", "operator"
    )
    assert Membership.objects.get().roles == ["admin", "operator"]
    answer = APIClient().post("/api/v1/session", {"username": "root", "password": password})
    assert answer.json()["username"] == "root"


def test_an_agent_gets_its_token() -> None:
    said("tenant_add", "aurora", "Aurora")
    assert said("agent_token", "n1", "--tenant", "aurora").startswith("hse_")
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

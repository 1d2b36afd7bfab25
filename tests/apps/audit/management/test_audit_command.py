"""`manage.py audit verify` says what is wrong, and fails then."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.audit.models import AuditEntry
from tests.append_only import append_only_lifted
from tests.apps.audit.trail import TENANT, trail

pytestmark = pytest.mark.django_db(transaction=True)


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("audit", "verify", *arguments, stdout=out)
    return out.getvalue()


def test_a_whole_trail_is_said_to_be_so_with_its_head() -> None:
    last = trail(3)[-1]
    assert f"{TENANT}: 3 entries, all as they were written, head 3={last.digest}" in said()
    assert "platform: 1 entries" in said()


def test_one_tenants_trail_is_compared_with_what_is_known() -> None:
    last = trail(3)[-1]
    assert "3 entries" in said("--tenant", str(TENANT), "--known", f"3={last.digest}")
    with pytest.raises(CommandError):
        said("--tenant", str(TENANT), "--known", "4=sha256:0")


def test_an_altered_trail_fails() -> None:
    trail(3)
    with append_only_lifted():
        AuditEntry.objects.filter(sequence=2).delete()
    with pytest.raises(CommandError, match="not as it was written"):
        said()


@pytest.mark.parametrize(
    "arguments", [("--known", "1=sha256:0"), ("--tenant", str(TENANT), "--known", "first")]
)
def test_what_is_known_is_of_one_tenant_and_has_a_sequence(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        said(*arguments)

"""An entry is appended to its tenant's chain, and can't be changed afterwards."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from apps.audit.domain.chain import GENESIS, PLATFORM
from apps.audit.models import AuditEntry, AuditHead
from apps.audit.services import audit_record
from apps.core import canonical
from tests.apps.audit.trail import AT, OTTO, TENANT, record

pytestmark = pytest.mark.django_db


def test_the_body_says_everything_and_the_columns_say_the_same() -> None:
    entry = record(1)
    assert canonical.decode(entry.body) == {
        "tenant": str(TENANT),
        "sequence": 1,
        "previous": GENESIS,
        "at": "2026-01-02T03:04:06.678901+00:00",
        "actor": {"kind": "person", "id": "1", "name": "otto"},
        "action": "swap.approve",
        "subject": "swap:1",
        "detail": {"plan": "sha256:00", "value": 1e16, "small": 1.0, "name": "Ångström\0"},
    }
    assert (entry.sequence, entry.action, entry.subject, entry.at) == (
        1,
        "swap.approve",
        "swap:1",
        AT + timedelta(seconds=1),
    )


def test_each_entry_holds_the_digest_of_the_one_before() -> None:
    first, second = record(), record()
    assert canonical.decode(second.body)["previous"] == first.digest
    head = AuditHead.objects.get(tenant_id=TENANT)
    assert (head.sequence, head.digest) == (2, second.digest)


def test_a_new_chain_is_named_in_the_platforms() -> None:
    record()
    record()
    named = AuditEntry.objects.get(tenant_id=PLATFORM)
    assert (named.action, named.subject) == ("audit.chain_started", f"tenant:{TENANT}")


def test_an_entry_without_a_tenant_goes_to_the_platforms_chain() -> None:
    assert record(tenant_id=None).tenant_id == PLATFORM


def test_a_transaction_that_fails_leaves_no_entry() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        assert record().sequence / 0
    assert AuditEntry.objects.count() == 0


@pytest.mark.parametrize("table", [AuditEntry, AuditHead])
def test_the_database_refuses_deletion(table: type[AuditEntry] | type[AuditHead]) -> None:
    record()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        table.objects.all().delete()


def test_the_database_refuses_change() -> None:
    record()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        AuditEntry.objects.update(action="swap.refuse")


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_nothing_is_recorded() -> None:
    with pytest.raises(AssertionError, match="atomic"):
        audit_record(at=AT, actor=OTTO, tenant_id=None, action="a.b", subject="c:1", detail={})


@pytest.mark.django_db(transaction=True)
def test_a_test_that_commits_entries_is_tidied_up_after() -> None:
    record()
    assert AuditEntry.objects.count() == 2

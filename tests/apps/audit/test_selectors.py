"""Whoever changes the trail behind the plane's back is found out."""

from collections.abc import Callable, Iterator

import pytest
from django.db.models import F

from apps.audit.domain.chain import PLATFORM, head_signature, text_digest
from apps.audit.models import AuditEntry, AuditHead
from apps.audit.selectors import audit_verify, audit_verify_all
from apps.core import canonical
from tests.append_only import append_only_lifted
from tests.apps.audit.trail import OTHER, TENANT, record, trail

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owned() -> Iterator[None]:
    """The triggers are gone: somebody owns the database."""
    trail()
    with append_only_lifted():
        yield


def ours() -> AuditEntry:
    return AuditEntry.objects.get(tenant_id=TENANT, sequence=3)


def change_the_text() -> None:
    AuditEntry.objects.filter(id=ours().id).update(
        body=ours().body.replace("swap.approve", "swap.refuse")
    )


def change_everything_of_it() -> None:
    text = ours().body.replace("swap.approve", "swap.refuse")
    AuditEntry.objects.filter(id=ours().id).update(
        body=text, digest=text_digest(text), action="swap.refuse"
    )


def change_a_column() -> None:
    AuditEntry.objects.filter(id=ours().id).update(action="swap.refuse")


def change_the_actor() -> None:
    AuditEntry.objects.filter(id=ours().id).update(actor_name="ada")


def change_the_time() -> None:
    AuditEntry.objects.filter(id=ours().id).update(at=record(99).at)


def delete_one() -> None:
    ours().delete()


def delete_one_and_close_the_gap() -> None:
    ours().delete()
    for sequence in (4, 5):
        AuditEntry.objects.filter(tenant_id=TENANT, sequence=sequence).update(
            sequence=F("sequence") - 1
        )


def exchange_two() -> None:
    rows = AuditEntry.objects.filter(tenant_id=TENANT)
    for old, new in ((3, 100), (4, 3), (100, 4)):
        rows.filter(sequence=old).update(sequence=new)


@pytest.mark.usefixtures("owned")
@pytest.mark.parametrize(
    ("change", "first_bad"),
    [
        (change_the_text, 3),
        (change_everything_of_it, 4),
        (change_a_column, 3),
        (change_the_actor, 3),
        (change_the_time, 3),
        (delete_one, 3),
        (delete_one_and_close_the_gap, 3),
        (exchange_two, 3),
    ],
)
def test_a_change_within_the_chain_is_found(change: Callable[[], None], first_bad: int) -> None:
    assert audit_verify(tenant_id=TENANT).ok
    change()
    verdict = audit_verify(tenant_id=TENANT)
    assert (verdict.ok, verdict.first_bad, verdict.entries) == (False, first_bad, first_bad - 1)


@pytest.mark.usefixtures("owned")
def test_an_end_that_was_cut_off_is_missed() -> None:
    AuditEntry.objects.filter(tenant_id=TENANT, sequence__gt=3).delete()
    verdict = audit_verify(tenant_id=TENANT)
    assert (verdict.first_bad, verdict.entries) == (4, 3)
    assert verdict.problem == "the head says that there are 5 entries, and there are 3"


@pytest.mark.usefixtures("owned")
def test_a_head_that_was_moved_back_too_has_no_signature_of_ours() -> None:
    AuditEntry.objects.filter(tenant_id=TENANT, sequence__gt=3).delete()
    forged = head_signature(key="a guess" * 8, tenant_id=TENANT, sequence=3, digest=ours().digest)
    AuditHead.objects.filter(tenant_id=TENANT).update(
        sequence=3, digest=ours().digest, signature=forged
    )
    assert audit_verify(tenant_id=TENANT).problem == "the head's signature is not ours"


@pytest.mark.usefixtures("owned")
def test_an_older_head_that_somebody_kept_is_found_out_by_an_entry_known_outside() -> None:
    kept = AuditHead.objects.get(tenant_id=TENANT)
    newest = record(6)
    AuditEntry.objects.filter(id=newest.id).delete()
    kept.save()
    assert audit_verify(tenant_id=TENANT).ok
    verdict = audit_verify(tenant_id=TENANT, known={newest.sequence: newest.digest})
    assert verdict.problem == "entries up to 6 were known before, and there are 5"


@pytest.mark.usefixtures("owned")
def test_a_chain_that_was_written_anew_is_found_out_by_an_entry_known_outside() -> None:
    assert audit_verify(tenant_id=TENANT, known={3: ours().digest}).ok
    verdict = audit_verify(tenant_id=TENANT, known={3: "sha256:" + "1" * 64})
    assert verdict.problem == "entry 3 is not the one that was known before"


@pytest.mark.usefixtures("owned")
def test_an_entry_that_was_appended_without_the_key_is_found() -> None:
    last = AuditEntry.objects.get(tenant_id=TENANT, sequence=5)
    body = canonical.decode(last.body) | {"sequence": 6, "previous": last.digest}
    text = canonical.encode(body).decode()
    last.id, last.sequence, last.body, last.digest = None, 6, text, text_digest(text)
    last.save(force_insert=True)
    assert audit_verify(tenant_id=TENANT).first_bad == 7


@pytest.mark.usefixtures("owned")
def test_a_head_that_is_gone_is_missed() -> None:
    AuditHead.objects.filter(tenant_id=TENANT).delete()
    assert audit_verify(tenant_id=TENANT).problem == "the head is missing"


@pytest.mark.usefixtures("owned")
def test_a_whole_chain_that_is_gone_is_missed() -> None:
    AuditEntry.objects.filter(tenant_id=TENANT).delete()
    AuditHead.objects.filter(tenant_id=TENANT).delete()
    assert audit_verify(tenant_id=TENANT).problem == "the whole chain is missing"
    assert not audit_verify_all()[TENANT].ok


def test_every_chain_is_looked_at() -> None:
    trail(2)
    trail(1, tenant_id=OTHER)
    verdicts = audit_verify_all()
    assert {chain: verdict.entries for chain, verdict in verdicts.items()} == {
        PLATFORM: 2,
        TENANT: 2,
        OTHER: 1,
    }
    assert all(verdict.ok for verdict in verdicts.values())


def test_a_chain_that_nobody_has_written_to_is_whole() -> None:
    verdict = audit_verify(tenant_id=TENANT)
    assert (verdict.ok, verdict.entries, verdict.head) == (True, 0, None)

"""Auditors read and check the trails of their tenants, and nobody else does."""

import pytest

from apps.audit.models import AuditEntry
from apps.core.access import Role
from tests.append_only import append_only_lifted
from tests.apps.audit.trail import record, trail
from tests.apps.signed_in import a_browser, a_person, a_program, a_tenant

pytestmark = pytest.mark.django_db


def test_an_auditor_reads_the_trail_of_their_tenant_newest_first() -> None:
    mine, other = a_tenant(), a_tenant("borealis")
    trail(3, tenant_id=mine.id)
    trail(2, tenant_id=other.id)
    answer = a_browser(a_person("ann", Role.AUDITOR)).get("/api/v1/audit")
    assert [(row["tenant"], row["sequence"]) for row in answer.json()["results"]] == [
        (str(mine.id), 3),
        (str(mine.id), 2),
        (str(mine.id), 1),
    ]


def test_an_entry_says_who_did_what_and_how() -> None:
    entry = record(1, tenant_id=a_tenant().id)
    answer = a_browser(a_person("ann", Role.AUDITOR)).get("/api/v1/audit")
    (shown,) = answer.json()["results"]
    assert shown["actor"] == {"kind": "person", "id": "1", "name": "otto"}
    assert (shown["action"], shown["subject"]) == ("swap.approve", "swap:1")
    assert shown["detail"]["plan"] == "sha256:00"
    assert (shown["digest"], shown["body"]) == (entry.digest, entry.body)


@pytest.mark.parametrize(
    ("query", "sequences"),
    [
        ("subject=swap:1", [2]),
        ("action=swap.refuse", []),
        ("actor=1", [3, 2, 1]),
        ("from=2026-01-02T03:04:06Z&to=2026-01-02T03:04:07Z", [2]),
    ],
)
def test_the_trail_is_filtered(query: str, sequences: list[int]) -> None:
    trail(3, tenant_id=a_tenant().id)
    answer = a_browser(a_person("ann", Role.AUDITOR)).get(f"/api/v1/audit?{query}")
    assert [row["sequence"] for row in answer.json()["results"]] == sequences


def test_a_time_that_is_none_is_the_askers_mistake() -> None:
    answer = a_browser(a_person("ann", Role.AUDITOR)).get("/api/v1/audit?from=yesterday")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


def test_whoever_is_no_auditor_is_told_who_is() -> None:
    answer = a_browser(a_person("otto", Role.OPERATOR)).get("/api/v1/audit")
    assert (answer.status_code, answer.json()["who_can"]) == (403, ["auditor"])


def test_a_token_needs_the_scope() -> None:
    ann = a_person("ann", Role.AUDITOR)
    assert a_program(ann, "read").get("/api/v1/audit").status_code == 403
    assert a_program(ann, "audit:read").get("/api/v1/audit").status_code == 200


def test_an_auditor_of_one_tenant_who_is_a_viewer_of_another_sees_only_the_first() -> None:
    other = a_tenant("borealis")
    ann = a_person("ann", Role.AUDITOR)
    a_person_in_both = ann.memberships.create(
        tenant=other, roles=["viewer"], created_at=ann.created_at
    )
    trail(2, tenant_id=a_person_in_both.tenant_id)
    assert a_browser(ann).get("/api/v1/audit").json()["results"] == []
    asked = a_browser(ann).post("/api/v1/audit/verify", {"tenant": str(other.id)})
    assert asked.status_code == 403


def test_a_whole_trail_is_verified() -> None:
    tenant = a_tenant()
    last = trail(3, tenant_id=tenant.id)[-1]
    answer = a_browser(a_person("ann", Role.AUDITOR)).post("/api/v1/audit/verify")
    found = answer.json()
    assert (found["ok"], found["entries"], found["first_bad"]) == (True, 3, None)
    assert (found["head"]["sequence"], found["head"]["digest"]) == (3, last.digest)


def test_an_entry_that_was_kept_elsewhere_is_compared() -> None:
    trail(3, tenant_id=a_tenant().id)
    answer = a_browser(a_person("ann", Role.AUDITOR)).post(
        "/api/v1/audit/verify", {"known": [{"sequence": 2, "digest": "sha256:0"}]}
    )
    assert (answer.json()["ok"], answer.json()["first_bad"]) == (False, 2)


@pytest.mark.django_db(transaction=True)
def test_an_altered_trail_is_shown_as_such() -> None:
    trail(3, tenant_id=a_tenant().id)
    with append_only_lifted():
        AuditEntry.objects.filter(sequence=2).update(action="swap.refuse")
    answer = a_browser(a_person("ann", Role.AUDITOR)).post("/api/v1/audit/verify")
    assert (answer.json()["ok"], answer.json()["first_bad"]) == (False, 2)


def test_another_tenants_trail_is_not_there() -> None:
    other = a_tenant("borealis")
    answer = a_browser(a_person("ann", Role.AUDITOR)).post(
        "/api/v1/audit/verify", {"tenant": str(other.id)}
    )
    assert answer.status_code == 404

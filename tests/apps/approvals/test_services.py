"""A second person decides about exactly what was asked."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from apps.accounts.models import ApiToken, Tenant
from apps.approvals.errors import AlreadyDecided, MayNotDecide, NotPending, PlanChanged
from apps.approvals.models import Request
from apps.approvals.selectors import (
    approval_is_given,
    approvals_waiting_for,
    who_could_approve,
    why_cannot,
)
from apps.approvals.services import (
    Decision,
    approval_decide,
    approval_mark_executed,
    approval_open,
    approval_void,
    approvals_expire,
)
from apps.audit.models import AuditEntry
from apps.core.access import SYSTEM, Actor, ActorKind, Role
from apps.core.errors import Invalid, NotFound
from apps.core.models import OutboxMessage
from tests.apps.approvals.making import (
    LATER,
    NOW,
    PLAN,
    opened,
    person,
    question,
    tenant,
    unknown_id,
)

pytestmark = pytest.mark.django_db

YES = Decision(approve=True, plan_digest=PLAN)
NO = Decision(approve=False, plan_digest=PLAN, reason="The spare is needed elsewhere.")


@pytest.fixture
def aurora() -> Tenant:
    return tenant()


@pytest.fixture
def otto(aurora: Tenant) -> Actor:
    return person("otto", aurora, Role.OPERATOR, Role.APPROVER)


@pytest.fixture
def ada(aurora: Tenant) -> Actor:
    return person("ada", aurora, Role.APPROVER)


def decide(request: Request, actor: Actor, decision: Decision = YES) -> Request:
    return approval_decide(request_id=request.id, actor=actor, decision=decision, now=LATER)


def test_a_yes_is_written_down_with_who_and_when(aurora: Tenant, otto: Actor, ada: Actor) -> None:
    request = decide(opened(aurora, otto), ada)
    assert (request.state, request.decided_at, request.executed_at) == ("approved", LATER, None)
    assert request.decided_by == {"kind": "person", "id": ada.id, "name": "Ada"}
    assert approval_is_given(request, plan_digest=PLAN)
    assert not approval_is_given(request, plan_digest="sha256:other")


def test_every_decision_is_audited_shown_and_wakes_the_driver(
    aurora: Tenant, otto: Actor, ada: Actor
) -> None:
    request = decide(opened(aurora, otto), ada, NO)
    actions = AuditEntry.objects.filter(tenant_id=aurora.id).order_by("sequence")
    assert [each.action for each in actions] == ["approval.open", "approval.refuse"]
    wake = OutboxMessage.objects.get(topic="wake")
    assert (wake.kind, wake.payload) == ("swap_advance", {"swap_id": str(request.subject_id)})
    live = OutboxMessage.objects.filter(topic="live").order_by("id")
    assert [each.payload["state"] for each in live] == ["pending", "refused"]


def test_the_second_decision_is_told_who_was_faster(
    aurora: Tenant, otto: Actor, ada: Actor
) -> None:
    request = decide(opened(aurora, otto), ada)
    berta = person("berta", aurora, Role.APPROVER)
    with pytest.raises(AlreadyDecided) as caught:
        decide(request, berta, NO)
    assert caught.value.status == 409
    assert caught.value.extra["decided_by"]["name"] == "Ada"
    assert caught.value.extra["decided_at"] == LATER.isoformat()


def test_two_decisions_at_once_are_one(aurora: Tenant, otto: Actor, ada: Actor) -> None:
    request = opened(aurora, otto)
    # what a decision that was read before the other one was written would find
    Request.objects.filter(id=request.id).update(
        state="approved", decided_by=ada.as_json(), decided_at=NOW
    )
    with pytest.raises(AlreadyDecided):
        decide(request, ada, NO)
    request.refresh_from_db()
    assert request.state == "approved"


def test_who_proposed_does_not_decide(aurora: Tenant, otto: Actor, ada: Actor) -> None:
    request = opened(aurora, otto)
    with pytest.raises(MayNotDecide) as caught:
        decide(request, otto)
    assert caught.value.detail == "You proposed it yourself: somebody else has to decide."
    assert caught.value.who_can == ("Ada",)
    assert who_could_approve(request) == [{"id": ada.id, "name": "Ada"}]


def test_nor_does_a_token_of_theirs(aurora: Tenant, otto: Actor) -> None:
    token = ApiToken.objects.create(
        tenant=aurora,
        owner_id=otto.id,
        name="script",
        prefix="hst_abc",
        digest="0" * 64,
        created_at=NOW,
    )
    program = Actor(kind=ActorKind.TOKEN, id=str(token.id), name="script", roles=otto.roles)
    for proposer, decider in ((otto, program), (program, otto), (program, program)):
        with pytest.raises(MayNotDecide):
            decide(opened(aurora, proposer), decider)


def test_who_is_no_approver_does_not_decide(aurora: Tenant, ada: Actor) -> None:
    request = opened(aurora, SYSTEM)
    for role in (Role.VIEWER, Role.OPERATOR, Role.AUDITOR, Role.ADMIN):
        with pytest.raises(MayNotDecide) as caught:
            decide(request, person(role.value, aurora, role))
        assert caught.value.detail == "You are no approver in this tenant."
        assert caught.value.who_can == ("Ada",)
    assert why_cannot(actor=ada, request=request, now=LATER) is None


def test_the_system_does_not_decide(aurora: Tenant) -> None:
    with pytest.raises(MayNotDecide):
        decide(opened(aurora, SYSTEM), SYSTEM)


def test_another_plan_than_the_one_seen_is_not_approved(
    aurora: Tenant, otto: Actor, ada: Actor
) -> None:
    request = opened(aurora, otto)
    with pytest.raises(PlanChanged) as caught:
        decide(request, ada, Decision(approve=True, plan_digest="sha256:seen"))
    assert caught.value.extra == {"plan_digest": PLAN}
    request.refresh_from_db()
    assert request.state == "pending"


def test_a_refusal_needs_a_reason(aurora: Tenant, otto: Actor, ada: Actor) -> None:
    request = opened(aurora, otto)
    for reason in ("", "   "):
        with pytest.raises(Invalid):
            decide(request, ada, Decision(approve=False, plan_digest=PLAN, reason=reason))
    assert decide(request, ada, NO).reason == "The spare is needed elsewhere."


def test_what_has_expired_is_not_decided(aurora: Tenant, otto: Actor, ada: Actor) -> None:
    request = opened(aurora, otto, expires_at=NOW + timedelta(minutes=1))
    with pytest.raises(NotPending):
        decide(request, ada)
    assert approvals_expire(now=LATER) == 1
    assert approvals_expire(now=LATER) == 0
    request.refresh_from_db()
    assert request.state == "expired"
    with pytest.raises(NotPending):
        decide(request, ada)


def test_asking_twice_asks_once(aurora: Tenant, otto: Actor) -> None:
    first = opened(aurora, otto)
    again = opened(aurora, otto, subject_id=first.subject_id)
    assert again.id == first.id
    with pytest.raises(PlanChanged):
        opened(aurora, otto, subject_id=first.subject_id, plan_digest="sha256:other")


def test_the_database_keeps_a_subject_to_one_open_request(aurora: Tenant, otto: Actor) -> None:
    first = opened(aurora, otto)
    first.pk = unknown_id()
    with pytest.raises(IntegrityError), transaction.atomic():
        first.save(force_insert=True)


def test_a_void_request_can_be_asked_anew(aurora: Tenant, otto: Actor, ada: Actor) -> None:
    first = decide(opened(aurora, otto), ada)
    subject = first.subject_id
    with transaction.atomic():
        assert (
            approval_void(subject_kind="swap", subject_id=subject, reason="n5 is high", now=LATER)
            == 1
        )
    first.refresh_from_db()
    assert (first.state, first.reason) == ("void", "n5 is high")
    second = opened(aurora, otto, subject_id=subject, plan_digest="sha256:second")
    assert second.state == "pending"


def test_what_was_executed_stays_approved(aurora: Tenant, otto: Actor, ada: Actor) -> None:
    request = decide(opened(aurora, otto), ada)
    subject = request.subject_id
    with transaction.atomic():
        approval_mark_executed(subject_kind="swap", subject_id=subject, now=LATER)
        assert approval_void(subject_kind="swap", subject_id=subject, reason="x", now=LATER) == 0
    request.refresh_from_db()
    assert (request.state, request.executed_at) == ("approved", LATER)


def test_what_waits_for_somebody_leaves_out_their_own(
    aurora: Tenant, otto: Actor, ada: Actor
) -> None:
    mine, other = opened(aurora, otto), opened(aurora, ada)
    elsewhere = tenant("borealis")
    opened(elsewhere, SYSTEM)
    assert [*approvals_waiting_for(actor=otto, now=NOW)] == [other]
    assert [*approvals_waiting_for(actor=ada, now=NOW)] == [mine]


def test_there_is_nothing_to_decide_about_what_is_not_there(ada: Actor) -> None:
    with pytest.raises(NotFound):
        approval_decide(request_id=unknown_id(), actor=ada, decision=YES, now=NOW)


def test_asking_takes_a_transaction(aurora: Tenant, otto: Actor) -> None:
    assert question(aurora).summary == "Move rank 2 of gpt from n3 to n5."
    assert transaction.get_connection().in_atomic_block
    approval_open(question=question(aurora), proposer=otto, now=NOW)
    assert Request.objects.count() == 1

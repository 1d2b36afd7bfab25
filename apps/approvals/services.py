"""What can be done with requests for approval. Every change is one guarded UPDATE."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.approvals.domain.limits import (
    EXPIRED_PER_RUN_MAX,
    REASON_LENGTH_MAX,
    SUMMARY_LENGTH_MAX,
)
from apps.approvals.domain.rules import closed_why
from apps.approvals.domain.states import APPROVED, EXPIRED, PENDING, REFUSED, TABLE, VOID
from apps.approvals.errors import AlreadyDecided, MayNotDecide, NotPending, PlanChanged
from apps.approvals.models import Request
from apps.approvals.selectors import (
    approval_summary,
    asked_of,
    person_behind,
    who_could_approve,
    why_cannot,
)
from apps.audit.services import audit_record
from apps.core import outbox
from apps.core.access import SYSTEM, Actor
from apps.core.errors import Invalid, NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, of whom, until when."""

    # whose things they are
    tenant_id: UUID
    # what is to be done: "swap", and its id
    subject_kind: str
    subject_id: UUID
    # of the plan, and of what it rests on
    plan_digest: str
    evidence_digest: str
    # what is asked, in a paragraph
    summary: str
    # plan, evidence and risks, as JSON
    document: dict[str, Any]
    # when it is too late to decide
    expires_at: datetime


def approval_open(*, question: Question, proposer: Actor, now: datetime) -> Request:
    """Ask for an approval, within the caller's transaction. Asking twice asks once."""
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    request, is_new = Request.objects.get_or_create(
        subject_kind=question.subject_kind,
        subject_id=question.subject_id,
        state=PENDING,
        defaults={
            "tenant_id": question.tenant_id,
            "plan_digest": question.plan_digest,
            "evidence_digest": question.evidence_digest,
            "summary": question.summary[:SUMMARY_LENGTH_MAX],
            "document": question.document,
            "proposer": proposer.as_json(),
            "proposer_person": person_behind(proposer),
            "expires_at": question.expires_at,
            "created_at": now,
        },
    )
    if is_new:
        _tell(request, actor=proposer, action="open", now=now)
    elif request.plan_digest != question.plan_digest:
        raise PlanChanged(
            "Another plan waits for its approval: declare that void first.",
            extra={"plan_digest": request.plan_digest},
        )
    return request


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What somebody decides."""

    # yes or no
    approve: bool
    # of the plan that they have seen
    plan_digest: str
    # why; needed for a no
    reason: str = ""


def approval_decide(
    *, request_id: UUID, actor: Actor, decision: Decision, now: datetime
) -> Request:
    """Say yes or no to exactly what was asked.

    Raises:
        NotFound: there is no such request.
        MayNotDecide: the actor is no approver, or proposed it.
        AlreadyDecided: somebody has; the error says who and when.
        NotPending: it expired or is void.
        PlanChanged: what the actor has seen is not what the request is about.
        Invalid: a refusal without a reason.
    """
    request = Request.objects.filter(id=request_id).first()
    if request is None:
        raise NotFound
    _check_decision(request, actor=actor, decision=decision, now=now)
    state = APPROVED if decision.approve else REFUSED
    with transaction.atomic():
        changed = Request.objects.filter(
            id=request_id, state=PENDING, expires_at__gt=now, plan_digest=decision.plan_digest
        ).update(
            state=state,
            decided_by=actor.as_json(),
            decided_at=now,
            reason=decision.reason,
        )
        request.refresh_from_db()
        if not changed:
            _raise_closed(request, now=now)
        _tell(request, actor=actor, action="approve" if decision.approve else "refuse", now=now)
        _wake(request, now=now)
    return request


def _check_decision(request: Request, *, actor: Actor, decision: Decision, now: datetime) -> None:
    if closed_why(asked=asked_of(request), now=now) is not None:
        _raise_closed(request, now=now)
    why = why_cannot(actor=actor, request=request, now=now)
    if why is not None:
        names = [person["name"] for person in who_could_approve(request)]
        raise MayNotDecide(f"{why[0].upper()}{why[1:]}.", who_can=names)
    if decision.plan_digest != request.plan_digest:
        raise PlanChanged(
            "The plan has changed since you saw it: look at it again.",
            extra={"plan_digest": request.plan_digest},
        )
    if not decision.approve and not decision.reason.strip():
        raise Invalid("Say why you refuse.", fields={"reason": ["Needed for a refusal."]})
    if len(decision.reason) > REASON_LENGTH_MAX:
        text = f"At most {REASON_LENGTH_MAX} characters."
        raise Invalid(text, fields={"reason": [text]})


def _raise_closed(request: Request, *, now: datetime) -> None:
    """Say who was faster, or why nobody can decide any more."""
    why = closed_why(asked=asked_of(request), now=now) or "it is no longer open"
    text = f"Nothing to decide: {why}."
    if request.decided_at is not None:
        extra = {
            "state": request.state,
            "decided_by": request.decided_by,
            "decided_at": request.decided_at.isoformat(),
        }
        raise AlreadyDecided(text, extra=extra)
    raise NotPending(text, extra={"state": request.state})


def approval_void(
    *, subject_kind: str, subject_id: UUID, reason: str, actor: Actor = SYSTEM, now: datetime
) -> int:
    """Declare void what was asked about a subject, unless it was begun; return how many."""
    assert transaction.get_connection().in_atomic_block, "call it within transaction.atomic"
    rows = Request.objects.filter(
        subject_kind=subject_kind,
        subject_id=subject_id,
        state__in=TABLE.sources("void"),
        executed_at=None,
    )
    count = 0
    for request in rows:
        if _move(request, target=VOID, reason=reason):
            count += 1
            _tell(request, actor=actor, action="void", now=now)
    return count


def approval_mark_executed(*, subject_kind: str, subject_id: UUID, now: datetime) -> None:
    """Note that what was approved has been begun, within the caller's transaction."""
    rows = Request.objects.filter(
        subject_kind=subject_kind, subject_id=subject_id, state=APPROVED, executed_at=None
    )
    for request in rows:
        if Request.objects.filter(id=request.id, executed_at=None).update(executed_at=now):
            request.executed_at = now
            _tell(request, actor=SYSTEM, action="execute", now=now)


def approvals_expire(*, now: datetime) -> int:
    """Close the requests that nobody has decided in time; return how many."""
    due = Request.objects.filter(state=PENDING, expires_at__lte=now).order_by("expires_at")
    count = 0
    for request in due[:EXPIRED_PER_RUN_MAX]:
        with transaction.atomic():
            if _move(request, target=EXPIRED, reason=""):
                count += 1
                _tell(request, actor=SYSTEM, action="expire", now=now)
                _wake(request, now=now)
    return count


def _move(request: Request, *, target: str, reason: str) -> bool:
    """Change the state of a request, if it still has the one that was read."""
    changed = Request.objects.filter(id=request.id, state=request.state, executed_at=None).update(
        state=target, reason=(reason or request.reason)[:REASON_LENGTH_MAX]
    )
    request.refresh_from_db()
    return changed == 1


def _tell(request: Request, *, actor: Actor, action: str, now: datetime) -> None:
    """Write the audit entry, and tell browsers."""
    audit_record(
        at=now,
        actor=actor,
        tenant_id=request.tenant_id,
        action=f"approval.{action}",
        subject=f"approval:{request.id}",
        detail={
            "subject": f"{request.subject_kind}:{request.subject_id}",
            "state": request.state,
            "plan_digest": request.plan_digest,
            "evidence_digest": request.evidence_digest,
            "reason": request.reason,
        },
    )
    outbox.put(
        topic="live",
        tenant_id=request.tenant_id,
        kind="approval.changed",
        payload=approval_summary(request),
        at=now,
    )


def _wake(request: Request, *, now: datetime) -> None:
    """Make whoever drives the subject look at once."""
    outbox.put(
        topic="wake",
        tenant_id=request.tenant_id,
        kind=f"{request.subject_kind}_advance",
        payload={f"{request.subject_kind}_id": str(request.subject_id)},
        at=now,
    )

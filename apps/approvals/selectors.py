"""Questions about requests for approval."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from apps.accounts.models import ApiToken, Membership
from apps.approvals.domain.limits import WHO_COULD_MAX
from apps.approvals.domain.rules import Asked, Decider, closed_why, decider_why_not
from apps.approvals.domain.states import APPROVED, PENDING
from apps.approvals.models import Request
from apps.core.access import Actor, ActorKind, Role


def person_behind(actor: Actor) -> str:
    """Return the id of the person who acts, or whose token does; "": no person."""
    if actor.kind is ActorKind.PERSON:
        return actor.id
    if actor.kind is ActorKind.TOKEN:
        owner = ApiToken.objects.filter(id=actor.id).values_list("owner_id", flat=True).first()
        return "" if owner is None else str(owner)
    return ""


def asked_of(request: Request) -> Asked:
    """Return what decides who may decide a request."""
    decided_by = request.decided_by or {}
    return Asked(
        state=request.state,
        expires_at=request.expires_at,
        proposer_person=request.proposer_person,
        decided_by=str(decided_by.get("name", "")),
        decided_at=request.decided_at,
    )


def why_cannot(
    *, actor: Actor, request: Request, now: datetime, person: str | None = None
) -> str | None:
    """Say why an actor can't decide a request now; None: they can.

    Args:
        actor: who wants to.
        request: which.
        now: when.
        person: the person behind the actor, if the caller has looked that up already.
    """
    asked = asked_of(request)
    closed = closed_why(asked=asked, now=now)
    if closed is not None:
        return closed
    decider = Decider(
        person=person_behind(actor) if person is None else person,
        is_approver=actor.kind is not ActorKind.SYSTEM
        and actor.may(request.tenant_id, Role.APPROVER),
    )
    return decider_why_not(asked=asked, decider=decider)


def who_could_approve(request: Request) -> list[dict[str, str]]:
    """Return the people who may decide a request, by name."""
    memberships = Membership.objects.filter(
        tenant_id=request.tenant_id, user__is_active=True
    ).select_related("user")
    people = [
        {"id": str(each.user_id), "name": each.user.display_name or each.user.username}
        for each in memberships
        if Role.APPROVER.value in each.roles and str(each.user_id) != request.proposer_person
    ]
    return sorted(people, key=lambda person: person["name"])[:WHO_COULD_MAX]


def approvals_waiting_for(*, actor: Actor, now: datetime) -> QuerySet[Request]:
    """Return the requests that an actor can decide now."""
    tenants = [tenant for tenant in actor.roles if actor.may(tenant, Role.APPROVER)]
    person = person_behind(actor)
    if not person:
        return Request.objects.none()
    pending = Request.objects.filter(tenant_id__in=tenants, state=PENDING, expires_at__gt=now)
    return pending.exclude(proposer_person=person)


def approval_current(*, subject_kind: str, subject_id: UUID) -> Request | None:
    """Return the newest request about a subject; None: nobody has asked."""
    requests = Request.objects.filter(subject_kind=subject_kind, subject_id=subject_id)
    return requests.order_by("-id").first()


def approvals_of(*, subject_kind: str, subject_ids: Iterable[UUID]) -> dict[UUID, Request]:
    """Return the newest request of each subject."""
    rows = Request.objects.filter(subject_kind=subject_kind, subject_id__in=list(subject_ids))
    return {row.subject_id: row for row in rows.order_by("id")}


def approval_is_given(request: Request | None, *, plan_digest: str) -> bool:
    """Tell whether exactly this plan was approved, and the approval still counts."""
    return request is not None and request.state == APPROVED and request.plan_digest == plan_digest


def approval_summary(request: Request) -> dict[str, Any]:
    """Return what browsers are told when a request changes."""
    return {
        "id": str(request.id),
        "state": request.state,
        "subject_kind": request.subject_kind,
        "subject_id": str(request.subject_id),
    }

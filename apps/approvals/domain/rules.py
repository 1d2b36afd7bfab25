"""Why somebody may not decide a request."""

from dataclasses import dataclass
from datetime import datetime

from apps.approvals.domain.states import PENDING


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request, as far as it matters who decides it."""

    # where it stands
    state: str
    # when it is too late
    expires_at: datetime
    # id of the person who proposed, or whose token did; "": no person did
    proposer_person: str
    # who decided it, and when; "" and None: nobody
    decided_by: str
    decided_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider:
    """Somebody who wants to decide."""

    # id of the person, or of the person whose token it is; "": no person
    person: str
    # whether they approve things in the request's tenant
    is_approver: bool


def closed_why(*, asked: Asked, now: datetime) -> str | None:
    """Say why nobody can decide a request any more; None: it is open."""
    if asked.decided_at is not None:
        at = asked.decided_at.isoformat(timespec="seconds")
        return f"{asked.decided_by} has {asked.state} it at {at}"
    if asked.state != PENDING:
        return f"it is {asked.state}"
    if now >= asked.expires_at:
        return f"it expired at {asked.expires_at.isoformat(timespec='seconds')}"
    return None


def decider_why_not(*, asked: Asked, decider: Decider) -> str | None:
    """Say why this one may not decide; None: they may."""
    if not decider.is_approver:
        return "you are no approver in this tenant"
    if not decider.person:
        return "only a person, or a person's token, can decide"
    if decider.person == asked.proposer_person:
        return "you proposed it yourself: somebody else has to decide"
    return None

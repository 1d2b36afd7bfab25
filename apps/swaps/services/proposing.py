"""Wanting a swap, and no longer wanting it."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.core import canonical
from apps.core.access import SYSTEM, Actor
from apps.core.errors import TransitionRefused
from apps.core.ids import new_id
from apps.fleet.models import Node
from apps.jobs.models import Job, RankOwner
from apps.jobs.selectors.members import job_agent_node
from apps.swaps.domain.limits import CLAIM_TRIES_MAX, REASON_LENGTH_MAX
from apps.swaps.domain.states import SENT, UNSENT, Action, State
from apps.swaps.errors import BrakeEngaged, RankHeld, RankNotKnown, SwapMoved, SwapRefused
from apps.swaps.models import Swap
from apps.swaps.selectors.controls import brake_of, hold_of
from apps.swaps.selectors.places import evidence_of, node_now
from apps.swaps.services.settling import settle
from apps.swaps.services.transitions import (
    Move,
    swap_claim,
    swap_create,
    swap_read,
    swap_wake,
    transition,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What somebody wants."""

    # job and rank that is to change hands
    job_id: UUID
    rank: int
    # why, for people
    reason: str
    # node that is to take the rank; None: the best one
    target_node_id: UUID | None = None


@transaction.atomic
def swap_propose(*, proposal: Proposal, actor: Actor, now: datetime) -> Swap:
    """Propose a planned swap; the driver plans it and asks for approval.

    Raises:
        SwapRefused: there is no such job, rank or node; `fields` says which.
        BrakeEngaged: no new swaps are wanted in this tenant.
        RankHeld: the rank's swaps failed again and again.
        RankNotKnown: nobody has told yet who owns the rank.
        SwapOpen: one is open for this rank.
    """
    job = _checked_job(proposal)
    _check_controls(job, proposal.rank)
    owner = RankOwner.objects.filter(job=job, rank=proposal.rank, epoch_to=None).first()
    if owner is None or owner.node_id is None:
        raise RankNotKnown(f"Nobody has said yet which node rank {proposal.rank} is on.")
    source = node_now(node_id=owner.node_id, now=now)
    evidence = evidence_of(node=source, now=now)
    fields: dict[str, Any] = {
        "id": new_id(),
        "tenant_id": job.tenant_id,
        "job_id": job.id,
        "rank": proposal.rank,
        "kind": "planned",
        "state": State.PROPOSED.value,
        "source_node_id": owner.node_id,
        "source_member": owner.member,
        "wanted_node": _wanted_node(proposal, job, owner.node_id),
        "proposer": actor.as_json(),
        "reason": proposal.reason,
        "evidence": evidence,
        "evidence_digest": canonical.digest(evidence),
        # what the job told before is about something else
        "events_from": job.events_count,
        "created_at": now,
    }
    detail = {"reason": proposal.reason, "evidence": evidence}
    swap = swap_create(fields=fields, actor=actor, detail=detail)
    swap_wake(swap=swap, at=now)
    return swap


def _checked_job(proposal: Proposal) -> Job:
    if len(proposal.reason) > REASON_LENGTH_MAX:
        raise SwapRefused(fields={"reason": [f"At most {REASON_LENGTH_MAX} characters."]})
    job = Job.objects.filter(id=proposal.job_id).first()
    if job is None:
        raise SwapRefused(fields={"job": ["There is no such job."]})
    if job.state != "running":
        raise SwapRefused(fields={"job": [f"It is {job.state}: only a running job can swap."]})
    if proposal.rank >= job.world_size:
        text = f"There is none: name one of 0 to {job.world_size - 1}."
        raise SwapRefused(fields={"rank": [text]})
    return job


def _check_controls(job: Job, rank: int) -> None:
    brake = brake_of(tenant_id=job.tenant_id)
    if brake is not None:
        raise BrakeEngaged(
            f"No new swaps: {brake.engaged_by.get('name', '')} has engaged the brake. "
            f"{brake.reason}",
            extra={
                "engaged_by": brake.engaged_by,
                "at": brake.created_at.isoformat(),
                "reason": brake.reason,
            },
        )
    hold = hold_of(job_id=job.id, rank=rank)
    if hold is not None:
        raise RankHeld(
            f"Rank {rank} is held: its swaps failed again and again ({hold.cause}).",
            extra={"hold": str(hold.id), "cause": hold.cause},
        )


def _wanted_node(proposal: Proposal, job: Job, source_node_id: UUID) -> Node | None:
    if proposal.target_node_id is None:
        return None
    node = Node.objects.filter(
        id=proposal.target_node_id, tenant_id=job.tenant_id, cluster_id=job.cluster_id
    ).first()
    if node is None:
        raise SwapRefused(fields={"target_node": ["There is no such node beside the job."]})
    if node.id == source_node_id:
        raise SwapRefused(fields={"target_node": ["The rank is on this node already."]})
    return node


@transaction.atomic
def swap_abort(*, swap_id: UUID, actor: Actor, reason: str, now: datetime) -> Swap:
    """Give a swap up: at once where nothing was begun, else by asking the job's coordinator.

    Asking twice asks once.

    Raises:
        SwapUnknown: there is none.
        TransitionRefused: it has ended, or the rank has changed hands already.
        SwapMoved: it has moved on meanwhile: look, and decide again.
    """
    swap = _claimed(swap_id)
    state = State(swap.state)
    if state is State.ABORTING:
        return swap
    if state in UNSENT:
        settle(swap=swap, reason=reason or "the swap was given up", now=now)
        move = Move(action=Action.WITHDRAW, actor=actor, code="aborted", text=reason)
        return transition(swap=swap, move=move, now=now)
    if state not in SENT:
        raise TransitionRefused(state=swap.state, action="abort", allowed=())
    return abort_begin(swap=swap, actor=actor, code="aborted", text=reason, now=now)


def _claimed(swap_id: UUID) -> Swap:
    """Return a swap that is locked as it is now; the driver may be just moving it."""
    for _ in range(CLAIM_TRIES_MAX):
        swap = swap_read(swap_id)
        with suppress(SwapMoved):
            swap_claim(swap)
            return swap
    raise SwapMoved


def abort_begin(*, swap: Swap, actor: Actor, code: str, text: str, now: datetime) -> Swap:
    """Begin to give up a swap whose command is out, in the caller's transaction."""
    changes = {
        "abort_asked_at": now,
        "abort_reason": text[:REASON_LENGTH_MAX],
        "abort_actor": actor.as_json(),
        "abort_looks": 0,
        "failure": {"code": code, "text": text} if actor is SYSTEM else None,
    }
    move = Move(action=Action.ABORT, actor=actor, code=code, text=text, changes=changes)
    transition(swap=swap, move=move, now=now)
    swap_wake(swap=swap, at=now)
    return swap


def command_node(swap: Swap) -> UUID | None:
    """Return the node whose agent can reach the leader of a swap's job."""
    return job_agent_node(job=swap.job) or swap.source_node_id

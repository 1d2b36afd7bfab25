"""Everything that the driver decides by, read from the database: nothing else counts."""

from datetime import datetime
from typing import Any

from apps.jobs.models import Certificate, Command, Member, RankOwner
from apps.swaps.domain.facts import Facts, Order, SwapView
from apps.swaps.domain.plan import FIT_GRADES, band_read
from apps.swaps.domain.states import UNSENT, State
from apps.swaps.models import Swap
from apps.swaps.selectors.controls import held_by
from apps.swaps.selectors.losses import losses_from
from apps.swaps.selectors.places import grade_now, node_now
from apps.swaps.selectors.told import told_of


def view_of(swap: Swap) -> SwapView:
    """Return a swap as the decision sees it."""
    approval = swap.approval
    return SwapView(
        state=State(swap.state),
        unplanned=swap.kind == "unplanned",
        deadline_at=swap.deadline_at,
        target_member=swap.target_member,
        plan_digest=swap.plan_digest,
        approved_digest="" if approval is None else approval.plan_digest,
        plans_count=swap.plans_count,
        watch_from_step=swap.watch_from_step,
        watch_steps=swap.watch_steps,
        band=band_read(swap.band),
        abort_asked_at=swap.abort_asked_at,
        abort_reason=swap.abort_reason,
        abort_looks=swap.abort_looks,
        runtime_swap_id=swap.runtime_swap_id,
    )


def facts_of(*, swap: Swap, now: datetime) -> Facts:
    """Return what is known around a swap."""
    known: dict[str, Any] = {
        "job_state": swap.job.state,
        "job_reported_at": swap.job.reported_at,
        "committed_step": swap.job.committed_step,
    }
    state = State(swap.state)
    if state is not State.PROPOSED and state in UNSENT:
        known |= _before(swap, now)
    elif state is not State.PROPOSED:
        known |= _under_way(swap)
    if state is State.WATCHING:
        known |= _watched(swap)
    return Facts(**known)


def _before(swap: Swap, now: datetime) -> dict[str, Any]:
    """Return what bears on a plan that was not begun yet."""
    return {
        "approval": None if swap.approval is None else swap.approval.state,
        "plan_void": _plan_void(swap, now),
        "held_by": _held_by(swap, now) if swap.state == State.APPROVED.value else None,
    }


def _held_by(swap: Swap, now: datetime) -> str | None:
    target = node_now(node_id=swap.target_node_id, now=now)
    if target is None or grade_now(target) == "unknown":
        return "the target has not reported lately: its health is not known"
    return held_by(swap=swap)


def _plan_void(swap: Swap, now: datetime) -> str | None:
    """Say what has changed since the plan was made; what is not known now has not changed."""
    owner = owner_of(swap)
    if owner not in (None, swap.source_member):
        return f"rank {swap.rank} belongs to {owner} now"
    source = node_now(node_id=swap.source_node_id, now=now)
    before = swap.evidence.get("grade", "unknown")
    if source is not None and grade_now(source) not in ("unknown", before):
        return f"the risk of {source.name} was {before} and is {grade_now(source)}"
    return _target_void(swap, now)


def _target_void(swap: Swap, now: datetime) -> str | None:
    target = node_now(node_id=swap.target_node_id, now=now)
    if target is None:
        return "the target is gone"
    if target.state != "active" or not target.is_spare:
        return f"{target.name} is {target.state if target.state != 'active' else 'no spare'} now"
    if target.reserved_for not in (swap.reservation, f"job:{swap.job_id}"):
        return f"{target.name} is no longer reserved for this swap"
    if grade_now(target) not in ("unknown", *FIT_GRADES):
        return f"the risk of {target.name} is {grade_now(target)}"
    member = Member.objects.filter(job_id=swap.job_id, name=swap.target_member).first()
    if member is None or member.lost_at is not None or member.state in ("gone", "exited"):
        return f"the standby {swap.target_member} is gone"
    taken = RankOwner.objects.filter(job_id=swap.job_id, member=member.name, epoch_to=None).first()
    return None if taken is None else f"{member.name} has taken rank {taken.rank} over"


def owner_of(swap: Swap) -> str | None:
    """Return the member that owns a swap's rank, by the job's own account; None: not known."""
    owners = RankOwner.objects.filter(job_id=swap.job_id, rank=swap.rank, epoch_to=None)
    return owners.values_list("member", flat=True).first()


def _under_way(swap: Swap) -> dict[str, Any]:
    """Return what the job's agents have told."""
    told = told_of(swap)
    owner = owner_of(swap)
    identity = told.runtime_swap_id
    if not identity and swap.command is not None:
        identity = str(swap.command.result.get("swap") or "")
    return {
        "swap_order": _order(swap.command),
        "abort_order": _order(swap.abort_command),
        "phase": told.phase,
        "ending": told.ending,
        "in_force_step": told.in_force_step,
        "new_owner": told.new_owner,
        "measured": told.measured,
        "runtime_swap_id": identity,
        "target_owns": None if owner is None else owner == swap.target_member,
    }


def _order(command: Command | None) -> Order | None:
    if command is None:
        return None
    left = command.sent_at is not None or command.answered_at is not None
    return Order(state=command.state, detail=command.detail, left=left)


def _watched(swap: Swap) -> dict[str, Any]:
    """Return what has happened since the rank changed hands."""
    certificate = certificate_of(swap)
    band = band_read(swap.band)
    step = swap.watch_from_step
    losses = (
        ()
        if band is None or step is None
        else losses_from(job_id=swap.job_id, series=band.series, step=step)
    )
    return {
        "losses": losses,
        "certified": certificate is not None,
        "states_equal": None if certificate is None else states_equal(certificate),
    }


def certificate_of(swap: Swap) -> Certificate | None:
    """Return the runtime's certificate of a swap; None: it has not come."""
    if not swap.runtime_swap_id:
        return None
    return Certificate.objects.filter(job_id=swap.job_id, swap=swap.runtime_swap_id).first()


def states_equal(certificate: Certificate) -> bool | None:
    """Tell whether the state was the same bits before and after; None: not known."""
    before = certificate.document.get("digest_before")
    after = certificate.document.get("digest_after")
    return None if before is None or after is None else before == after

"""Planning a swap: choose, check, register the band, reserve the spare."""

from datetime import datetime
from typing import Any

from apps.core import canonical
from apps.fleet.errors import SpareMissing
from apps.fleet.models import Node
from apps.fleet.selectors.nodes import nodes_at
from apps.fleet.selectors.spares import SpareQuestion
from apps.fleet.services.spares import spare_reserve
from apps.jobs.models import RankOwner
from apps.swaps.domain.band import band_register
from apps.swaps.domain.plan import NoPlan, Plan, Wish, band_document, plan_make
from apps.swaps.domain.states import Action
from apps.swaps.models import Swap
from apps.swaps.selectors.controls import racks_of, radius_refusal_for
from apps.swaps.selectors.losses import losses_last, series_of
from apps.swaps.selectors.places import (
    candidates_of,
    cause_domains,
    evidence_of,
    grade_now,
    places_of,
)
from apps.swaps.services.transitions import Move, transition


class NotPlanned(Exception):
    """No plan can be made now; the text says why."""


def swap_plan(*, swap: Swap, now: datetime) -> Swap:
    """Plan a proposed swap and reserve its spare, in the caller's transaction.

    Raises:
        NotPlanned: there is no way at the moment; nothing was changed.
        SwapMoved: somebody else was quicker.
    """
    nodes = _nodes(swap, now)
    owner = RankOwner.objects.filter(job_id=swap.job_id, rank=swap.rank, epoch_to=None).first()
    source = None if owner is None else nodes.get(owner.node_id)
    if owner is None or source is None:
        raise NotPlanned(f"nobody has said which node rank {swap.rank} is on")
    evidence = _evidence(swap, source, now)
    plan = _make(swap, nodes=nodes, source=source, member=owner.member, evidence=evidence)
    target = nodes[plan.target.place.id]
    if target.reserved_for != f"job:{swap.job_id}":
        _reserve(swap, source=source, target=target, now=now)
    changes: dict[str, Any] = {
        "source_node": source,
        "source_member": owner.member,
        "target_node": target,
        "target_member": plan.target.member or "",
        "evidence": evidence,
        "evidence_digest": plan.document["evidence_digest"],
        "plan": plan.document,
        "plan_digest": plan.digest,
        "plans_count": swap.plans_count + 1,
        "band": plan.document["watch"]["band"],
    }
    detail = {"target": target.name, "plan_digest": plan.digest}
    return transition(
        swap=swap, move=Move(action=Action.PLAN, changes=changes, detail=detail), now=now
    )


def _nodes(swap: Swap, now: datetime) -> dict[Any, Node]:
    rows = nodes_at(now=now).filter(tenant_id=swap.tenant_id, cluster_id=swap.job.cluster_id)
    return {node.id: node for node in rows.exclude(state="retired")}


def _evidence(swap: Swap, source: Node, now: datetime) -> dict[str, Any]:
    """Return what the swap rests on now; what was known stays known while a node is silent."""
    if grade_now(source) == "unknown" and swap.evidence:
        return dict(swap.evidence)
    return evidence_of(node=source, now=now)


def _make(
    swap: Swap, *, nodes: dict[Any, Node], source: Node, member: str, evidence: dict[str, Any]
) -> Plan:
    places = places_of(nodes=nodes.values(), cluster_id=swap.job.cluster_id)
    series = series_of(job_id=swap.job_id)
    points = losses_last(job_id=swap.job_id, series=series)
    wish = Wish(
        swap_id=swap.id,
        reservation=swap.reservation,
        also_reserved=f"job:{swap.job_id}",
        job_id=swap.job_id,
        job_name=swap.job.name,
        job_state=swap.job.state,
        rank=swap.rank,
        source=places[source.id],
        source_member=member,
        cause_domains=frozenset(
            cause_domains(nodes=nodes.values(), places=places, source=places[source.id])
        ),
        target_id=swap.wanted_node_id,
        evidence_digest=canonical.digest(evidence),
        radius_refusal=radius_refusal_for(swap=swap, racks=racks_of(swap)),
        band=band_register(series=series, points=points, watch_steps=swap.watch_steps),
        watch_steps=swap.watch_steps,
    )
    candidates = candidates_of(job=swap.job, rank=swap.rank, nodes=nodes.values(), places=places)
    made = plan_make(wish=wish, candidates=candidates)
    if isinstance(made, NoPlan):
        raise NotPlanned(made.text)
    return made


def _reserve(swap: Swap, *, source: Node, target: Node, now: datetime) -> None:
    question = SpareQuestion(node_id=source.id)
    try:
        node = spare_reserve(
            question=question, reserved_for=swap.reservation, at=now, only_node_id=target.id
        )
    except SpareMissing as error:
        raise NotPlanned(error.detail) from error
    if node.id != target.id:
        # a reservation of an earlier plan that was never given back
        raise NotPlanned(f"{node.name} is reserved for this swap, and {target.name} is the target")


def band_now(swap: Swap, *, before_step: int | None = None) -> dict[str, Any] | None:
    """Register a band from the losses that are known now; None: too few are.

    ``before_step``: of what has happened already, only those before it.
    """
    series = series_of(job_id=swap.job_id)
    points = losses_last(job_id=swap.job_id, series=series, before_step=before_step)
    band = band_register(series=series, points=points, watch_steps=swap.watch_steps)
    return band_document(band)

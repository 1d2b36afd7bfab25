"""Nodes as a plan sees them: source, candidates, evidence."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.fleet.domain.grades import Grade
from apps.fleet.domain.spares import domains_troubled
from apps.fleet.models import Node
from apps.fleet.selectors.nodes import node_explain, nodes_at
from apps.fleet.selectors.places import domain_ids_by_node, domains_by_id
from apps.jobs.models import Job, Member, MirrorState
from apps.swaps.domain.plan import Candidate, Place

#: Signals that stand in the evidence.
SIGNALS_MAX = 8


def grade_now(node: Node) -> str:
    """Return the grade that `nodes_at` has found."""
    return str(getattr(node, "grade_now", Grade.UNKNOWN.value))


def node_now(*, node_id: UUID | None, now: datetime) -> Node | None:
    """Return a node with its grade as it is now; None: there is no such node."""
    return None if node_id is None else nodes_at(now=now).filter(id=node_id).first()


def evidence_of(*, node: Node | None, now: datetime) -> dict[str, Any]:
    """Return what speaks for taking a rank off a node: its grade, and the signals that make it.

    Figures are left out: evidence is another one when a level changes, not when a value does.
    """
    if node is None:
        return {"node": None, "grade": Grade.UNKNOWN.value, "signals": [], "reason": ""}
    verdict = node_explain(node=node, now=now)
    bad = [
        each for each in verdict.contributions if each.grade not in (None, Grade.LOW, Grade.UNKNOWN)
    ]
    signals = [
        {
            "name": each.name,
            "grade": None if each.grade is None else each.grade.value,
            "source": None if each.source is None else each.source.value,
        }
        for each in bad[:SIGNALS_MAX]
    ]
    return {
        "node": node.name,
        # the grade that plans are checked against later, whoever has found it
        "grade": grade_now(node),
        "rule_version": verdict.rule_version,
        "signals": signals,
    }


def places_of(*, nodes: Collection[Node], cluster_id: UUID) -> dict[UUID, Place]:
    """Return nodes as a plan sees them, by id; two queries."""
    domains = domains_by_id(cluster_ids=[cluster_id])
    held = domain_ids_by_node(node_ids=[node.id for node in nodes], domains=domains)
    return {
        node.id: Place(
            id=node.id,
            name=node.name,
            rack="" if node.rack is None else node.rack.name,
            domains=frozenset(
                f"{domains[each].kind} {domains[each].name}" for each in held[node.id]
            ),
            state=node.state,
            grade=grade_now(node),
        )
        for node in nodes
    }


def cause_domains(*, nodes: Collection[Node], places: dict[UUID, Place], source: Place) -> set[str]:
    """Return the domains in which the cause may lie: those in trouble, else the source's own."""
    ids = {name: UUID(int=number) for number, name in enumerate(_names(places))}
    names = {number: name for name, number in ids.items()}
    troubled = domains_troubled(
        grades={node.id: Grade(grade_now(node)) for node in nodes},
        domain_ids={
            place.id: frozenset(ids[name] for name in place.domains) for place in places.values()
        },
    )
    found = {names[each] for each in troubled} & source.domains
    return found or set(source.domains)


def _names(places: dict[UUID, Place]) -> list[str]:
    return sorted({name for place in places.values() for name in place.domains})


def candidates_of(
    *, job: Job, rank: int, nodes: Collection[Node], places: dict[UUID, Place]
) -> list[Candidate]:
    """Return the nodes that are spares, or on which a standby of the job waits; two queries."""
    rows = Member.objects.filter(job=job, name__in=job.standbys, lost_at=None).order_by("-name")
    standbys = dict(rows.values_list("node_id", "name"))
    mirrors = {
        member: (protection, lag)
        for member, protection, lag in MirrorState.objects.filter(job=job, rank=rank).values_list(
            "member", "protection", "lag_steps"
        )
    }
    found = []
    for node in nodes:
        if not node.is_spare and node.id not in standbys:
            continue
        member = standbys.get(node.id)
        protection, lag = mirrors.get(member or "", (None, None))
        found.append(
            Candidate(
                place=places[node.id],
                is_spare=node.is_spare,
                reserved_for=node.reserved_for,
                member=member,
                mirror=protection,
                lag_steps=lag,
            )
        )
    return found

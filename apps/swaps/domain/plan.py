"""What a swap is going to do, as a document that a second person approves by its digest.

Every constraint stands in it with what was found: passed, failed, or not known. What is not known
never counts as passed. Constraints that are required keep a candidate from being chosen; the
others rank those that are left.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

from apps.core import canonical
from apps.swaps.domain import limits
from apps.swaps.domain.band import Band, Line

#: Version of the document.
VERSION: Final = 1
#: Grades with which a node can take a rank; the lower one is preferred.
FIT_GRADES: Final = ("low", "medium")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A node, as far as a plan is concerned."""

    # its id and name
    id: UUID
    name: str
    # rack that it stands in; "" if nobody said
    rack: str
    # every failure domain that it is in, racks, power feeds and switches, by name
    domains: frozenset[str]
    # active, draining, ...
    state: str
    # unknown, low, medium, high, critical
    grade: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A node that may become the target."""

    # the node
    place: Place
    # whether it is kept as a spare
    is_spare: bool
    # what it is reserved for; None: nothing
    reserved_for: str | None
    # the standby of this job that lives on it; None: there is none
    member: str | None
    # of the rank's mirror there: protected, catching_up, unknown; None: there is none
    mirror: str | None
    # steps that the mirror is behind; None: not known
    lag_steps: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is wanted, and what is known about it."""

    # id of the swap, and what a reservation for it, or for its job, is called
    swap_id: UUID
    reservation: str
    also_reserved: str
    # the job
    job_id: UUID
    job_name: str
    job_state: str
    # rank that is to change hands, the node it is on, and its owner there
    rank: int
    source: Place
    source_member: str
    # failure domains that the cause may lie in; the source's own if nothing more is known
    cause_domains: frozenset[str]
    # node that the proposer named; None: the best one
    target_id: UUID | None
    # digest of what the proposal rests on
    evidence_digest: str
    # which limit holds it back at the moment; None: none
    radius_refusal: str | None
    # registered now, from the last losses
    band: Band | None
    # steps that are watched afterwards
    watch_steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """One thing that was checked."""

    # stable name
    name: str
    # whether a swap without it is refused
    required: bool
    # passed, failed, or None: not known
    ok: bool | None
    # what was found, for people
    text: str

    @property
    def blocks(self) -> bool:
        """Whether it keeps the swap from being planned."""
        return self.required and self.ok is not True


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan that can be approved."""

    # the chosen target
    target: Candidate
    # what was checked for it
    constraints: tuple[Constraint, ...]
    # the whole of it, as JSON
    document: dict[str, Any]
    # of the document
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPlan:
    """No candidate will do."""

    # why, for people
    text: str
    # the best candidate's constraints that block; empty: there is no candidate
    blocking: tuple[Constraint, ...]


def plan_make(*, wish: Wish, candidates: Sequence[Candidate]) -> Plan | NoPlan:
    """Choose the best target and return the plan, or say why there is none."""
    named = [each for each in candidates if wish.target_id in (None, each.place.id)]
    if not named:
        return NoPlan(text="there is no spare node to take the rank", blocking=())
    ranked = sorted(((_checks(wish, each), each) for each in named), key=_rank)
    constraints, target = ranked[0]
    blocking = tuple(each for each in constraints if each.blocks)
    if blocking:
        why = "; ".join(each.text for each in blocking)
        return NoPlan(text=f"the best candidate, {target.place.name}: {why}", blocking=blocking)
    document = _document(wish, target, constraints)
    return Plan(
        target=target,
        constraints=constraints,
        document=document,
        digest=canonical.digest(document),
    )


def _rank(entry: tuple[tuple[Constraint, ...], Candidate]) -> tuple[int, int, bool, str]:
    """Order by what blocks, then by what is missing, then by risk, then by name."""
    constraints, candidate = entry
    blocking = sum(each.blocks for each in constraints)
    missing = sum(each.ok is not True for each in constraints)
    return (blocking, missing, candidate.place.grade != FIT_GRADES[0], candidate.place.name)


def _checks(wish: Wish, candidate: Candidate) -> tuple[Constraint, ...]:
    return (
        _job_runs(wish),
        _other_node(wish, candidate),
        _spare(wish, candidate),
        _healthy(candidate),
        _standby(candidate),
        _domain(wish, candidate),
        _mirror(candidate),
        _radius(wish),
        _band(wish),
    )


def _job_runs(wish: Wish) -> Constraint:
    text = f"job {wish.job_name} is {wish.job_state}"
    return Constraint(name="job_running", required=True, ok=wish.job_state == "running", text=text)


def _other_node(wish: Wish, candidate: Candidate) -> Constraint:
    ok = candidate.place.id != wish.source.id
    text = f"{candidate.place.name} is {'another node' if ok else 'the source itself'}"
    return Constraint(name="other_node", required=True, ok=ok, text=text)


def _spare(wish: Wish, candidate: Candidate) -> Constraint:
    name, place = candidate.place.name, candidate.place
    if not candidate.is_spare:
        ok, text = False, f"{name} is no spare"
    elif place.state != "active":
        ok, text = False, f"{name} is {place.state}"
    elif candidate.reserved_for not in (None, wish.reservation, wish.also_reserved):
        ok, text = False, f"{name} is reserved for {candidate.reserved_for}"
    else:
        ok, text = True, f"{name} is an active spare, free for this swap"
    return Constraint(name="spare_free", required=True, ok=ok, text=text)


def _healthy(candidate: Candidate) -> Constraint:
    grade, name = candidate.place.grade, candidate.place.name
    if grade == "unknown":
        ok, text = None, f"{name} has not reported lately: its health is not known"
    else:
        ok, text = grade in FIT_GRADES, f"the risk of {name} is {grade}"
    return Constraint(name="target_healthy", required=True, ok=ok, text=text)


def _standby(candidate: Candidate) -> Constraint:
    ok, name = candidate.member is not None, candidate.place.name
    text = f"{candidate.member} stands by on {name}" if ok else f"no standby lives on {name}"
    return Constraint(name="standby_lives", required=True, ok=ok, text=text)


def _domain(wish: Wish, candidate: Candidate) -> Constraint:
    shared = sorted(wish.cause_domains & candidate.place.domains)
    if not wish.cause_domains or not candidate.place.domains:
        ok, text = None, "failure domains are not known"
    elif shared:
        ok, text = False, f"source and target share {', '.join(shared)}"
    else:
        ok, text = True, "source and target share no failure domain"
    return Constraint(name="failure_domain", required=False, ok=ok, text=text)


def _mirror(candidate: Candidate) -> Constraint:
    ok: bool | None
    match candidate.mirror:
        case "protected":
            ok, text = True, "the target holds a complete mirror of the rank"
        case "catching_up":
            ok, text = None, "the target's mirror is catching up: it is waited for"
        case "unknown":
            ok, text = None, "how far the target's mirror is, is not known"
        case _:
            ok, text = False, "the target has no mirror of the rank: the state is copied first"
    return Constraint(name="mirror", required=False, ok=ok, text=text)


def _radius(wish: Wish) -> Constraint:
    refusal = wish.radius_refusal
    text = "one more swap is within the limits" if refusal is None else f"it has to wait: {refusal}"
    return Constraint(name="blast_radius", required=False, ok=refusal is None, text=text)


def _band(wish: Wish) -> Constraint:
    band = wish.band
    if band is None:
        ok, text = None, "too few losses are known for a band: steps alone are watched"
    else:
        ok = True
        text = (
            f"{band.series} is to stay within {band.centre:g} +- {band.half_width:g}; "
            "laid anew by the same rule just before the swap begins"
        )
    return Constraint(name="band", required=False, ok=ok, text=text)


def _document(wish: Wish, target: Candidate, constraints: tuple[Constraint, ...]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "swap": str(wish.swap_id),
        "job": {"id": str(wish.job_id), "name": wish.job_name},
        "rank": wish.rank,
        "source": _place(wish.source, wish.source_member),
        "target": _place(target.place, target.member),
        "reservation": {"node": str(target.place.id), "for": wish.reservation},
        "constraints": [
            {"name": each.name, "required": each.required, "ok": each.ok, "text": each.text}
            for each in constraints
        ],
        "blast_radius": {"ranks": [wish.rank], "nodes": [wish.source.name, target.place.name]},
        "pause_budget_ms": limits.PAUSE_BUDGET_MS,
        "watch": {"steps": wish.watch_steps, "band": band_document(wish.band)},
        "evidence_digest": wish.evidence_digest,
    }


def _place(place: Place, member: str | None) -> dict[str, Any]:
    return {"id": str(place.id), "name": place.name, "rack": place.rack, "member": member}


def band_document(band: Band | None) -> dict[str, Any] | None:
    """Return a band as JSON."""
    return None if band is None else asdict(band)


def band_read(document: dict[str, Any] | None) -> Band | None:
    """Return the band that `band_document` wrote."""
    if document is None:
        return None
    line = document.get("line")
    return Band(**{**document, "line": None if line is None else Line(**line)})

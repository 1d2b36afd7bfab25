"""Which spare takes over, decided the same way every time, and how many spares there should be."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from apps.fleet.domain.grades import SEVERITY, Grade
from apps.fleet.domain.layout import natural
from apps.fleet.domain.states import NodeState

# share of a cluster's nodes that is kept as spares, in percent: what is aimed at, from and to
TARGET_PERCENT_MIN: Final = 3.0
TARGET_PERCENT_MAX: Final = 5.0

# so many bad nodes make a domain one in trouble
TROUBLED_NODES_MIN: Final = 2
# grades of a spare that can take over; what is not known cannot
FIT_GRADES: Final = frozenset({Grade.LOW, Grade.MEDIUM})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareFacts:
    """A node that might take over, as it is now."""

    # its id
    id: UUID
    # its name
    name: str
    # its class
    node_class_id: UUID
    # active and so on
    state: NodeState
    # how much it is at risk now; unknown if its report is stale
    grade: Grade
    # what it is reserved for; None: nothing
    reserved_for: str | None
    # its rack; None: not known
    rack_id: UUID | None
    # every domain that it is in, those above included
    domain_ids: frozenset[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareWish:
    """What is to be replaced, and what to keep away from."""

    # class of the node that is replaced
    node_class_id: UUID
    # its rack; None: not known
    rack_id: UUID | None
    # domains in which something is wrong: other nodes of them are at risk too
    troubled_domain_ids: frozenset[UUID] = frozenset()
    # domains that hold what must not be lost together with the newcomer, such as the rank's mirror
    avoid_domain_ids: frozenset[UUID] = frozenset()
    # nodes that are out of the question
    excluded_ids: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareChoice:
    """What is to be said about one spare."""

    # its id
    id: UUID
    # its name
    name: str
    # why it cannot be taken; None: it can
    refusal: str | None
    # what speaks against it without ruling it out, weightiest first
    drawbacks: tuple[str, ...]


def spares_rank(*, wish: SpareWish, spares: Sequence[SpareFacts]) -> tuple[SpareChoice, ...]:
    """Return every spare, the best first, those that cannot be taken last.

    The order depends on nothing but the arguments: first a grade that is low, then fewest domains
    in trouble, then fewest shared with what must not be lost together, then the same rack (a short
    way for the state), then the name.
    """
    ordered = sorted(spares, key=lambda spare: _key(wish=wish, spare=spare))
    choices = [
        SpareChoice(
            id=spare.id,
            name=spare.name,
            refusal=_refusal(wish=wish, spare=spare),
            drawbacks=_drawbacks(wish=wish, spare=spare),
        )
        for spare in ordered
    ]
    return tuple(sorted(choices, key=lambda choice: choice.refusal is not None))


def domains_troubled(
    *, grades: Mapping[UUID, Grade], domain_ids: Mapping[UUID, frozenset[UUID]]
) -> frozenset[UUID]:
    """Return the domains in which several nodes are bad: what they share may be the cause.

    Args:
        grades: how each node is.
        domain_ids: the domains of each node, those above included.
    """
    bad = Counter(
        domain
        for node, grade in grades.items()
        if grade in {Grade.HIGH, Grade.CRITICAL}
        for domain in domain_ids.get(node, frozenset())
    )
    return frozenset(domain for domain, count in bad.items() if count >= TROUBLED_NODES_MIN)


def _refusal(*, wish: SpareWish, spare: SpareFacts) -> str | None:
    """Say why a spare cannot be taken."""
    refusals = (
        (spare.id in wish.excluded_ids, "it is excluded"),
        (spare.state is not NodeState.ACTIVE, f"it is {spare.state.value}"),
        (spare.reserved_for is not None, f"it is reserved for {spare.reserved_for}"),
        (spare.node_class_id != wish.node_class_id, "it is of another class"),
        (spare.grade not in FIT_GRADES, f"its grade is {spare.grade.value}"),
    )
    return next((text for applies, text in refusals if applies), None)


def _drawbacks(*, wish: SpareWish, spare: SpareFacts) -> tuple[str, ...]:
    """Say what speaks against a spare."""
    troubled = len(spare.domain_ids & wish.troubled_domain_ids)
    shared = len(spare.domain_ids & wish.avoid_domain_ids)
    found = []
    if spare.grade is not Grade.LOW:
        found.append(f"its grade is {spare.grade.value}")
    if troubled:
        found.append(f"failure domains in trouble: {troubled}")
    if shared:
        found.append(f"failure domains shared with what protects the rank: {shared}")
    if spare.rack_id is None or spare.rack_id != wish.rack_id:
        found.append("in another rack")
    return tuple(found)


def _key(*, wish: SpareWish, spare: SpareFacts) -> tuple[object, ...]:
    """Return what spares are ordered by."""
    return (
        SEVERITY[spare.grade],
        len(spare.domain_ids & wish.troubled_domain_ids),
        len(spare.domain_ids & wish.avoid_domain_ids),
        spare.rack_id is None or spare.rack_id != wish.rack_id,
        natural(spare.name),
        spare.id,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareReserve:
    """The spares that there are against those that there should be."""

    # nodes that are not retired, spares included
    nodes: int
    # spares that could take over now
    ready: int
    # spares that are promised to something
    reserved: int
    # spares that could not take over now: state, grade or stale report
    unfit: int
    # what is aimed at, in percent of the nodes
    target_percent: float
    target_percent_max: float
    # spares that are ready, in percent of the nodes; None: there are no nodes
    percent: float | None
    # spares that are missing to reach the target, whole nodes
    missing: int


def reserve_from(*, nodes: int, ready: int, reserved: int, unfit: int) -> SpareReserve:
    """Return the reserve of a fleet: at least one spare where there is a node at all."""
    # in whole numbers: 3 % of 100 nodes are 3 spares, and not 4 by rounding
    wanted = -(-nodes * round(TARGET_PERCENT_MIN * 100) // 10_000)
    return SpareReserve(
        nodes=nodes,
        ready=ready,
        reserved=reserved,
        unfit=unfit,
        target_percent=TARGET_PERCENT_MIN,
        target_percent_max=TARGET_PERCENT_MAX,
        percent=None if nodes == 0 else round(100.0 * ready / nodes, 2),
        missing=max(wanted - ready, 0),
    )

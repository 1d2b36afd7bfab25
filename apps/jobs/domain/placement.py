"""Which node carries which member of a job.

Ranks spread over racks and stay off spares; standbys go where the loss of one node, one rack or one
power feed takes the fewest ranks together with them; coordinators stand apart from each other.
Equal choices are made by name, so that the same fleet always gives the same plan.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class Role(StrEnum):
    """What a member is started as; a standby that takes a rank over stays the same member."""

    RANK = "rank"
    STANDBY = "standby"
    COORDINATOR = "coordinator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A node that may carry members."""

    node: UUID
    # unique in its cluster; decides between equals
    name: str
    # racks, power feeds and switches that it depends on, with all that these stand in
    domains: frozenset[str] = frozenset()
    # trainers that it can still take; coordinators need no place of their own
    free: int = 1
    # kept free of ranks
    is_spare: bool = False
    # why nothing may be started on it now; empty: it may
    barred: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """Where one member goes."""

    # unique in the job: node-0, standby-1, coordinator-0
    member: str
    role: Role
    node: UUID
    node_name: str
    # rank that it is to own first; None for standbys and coordinators
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A plan that can be shown, and carried out seat by seat."""

    seats: tuple[Seat, ...]
    # what a person should know about it, in sentences
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """Why there is no plan."""

    role: Role
    # members of that role that were wanted, and that found a place
    wanted: int
    placed: int
    # nodes that were passed over, and why
    barred: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """Say it in a sentence."""
        reasons = "; ".join(f"{name}: {why}" for name, why in self.barred)
        return (
            f"{self.placed} of {self.wanted} places for a {self.role} were found"
            f"{f' ({reasons})' if reasons else ''}"
        )


def placement_plan(
    *,
    ranks: int,
    standbys: int,
    coordinators: int,
    candidates: Iterable[Candidate],
) -> Placement | Shortage:
    """Plan every member of a new job, or say what is missing."""
    board = _Board(candidates)
    for rank in range(ranks):
        if not board.seat(Role.RANK, f"node-{rank}", board.for_rank, rank=rank):
            return board.shortage(Role.RANK, wanted=ranks)
    for number in range(standbys):
        if not board.seat(Role.STANDBY, f"standby-{number}", board.for_standby):
            return board.shortage(Role.STANDBY, wanted=standbys)
    for number in range(coordinators):
        if not board.seat(Role.COORDINATOR, f"coordinator-{number}", board.for_coordinator):
            return board.shortage(Role.COORDINATOR, wanted=coordinators)
    return board.placement()


def placement_replace(
    *,
    role: Role,
    member: str,
    seats: Sequence[Seat],
    candidates: Iterable[Candidate],
) -> Seat | Shortage:
    """Plan one more member of a job that has ``seats`` already.

    What the seats take is not counted in ``free`` again: that says what is left beside them.
    """
    board = _Board(candidates, seats=seats)
    choose = board.for_coordinator if role is Role.COORDINATOR else board.for_standby
    seat = board.seat(role, member, choose)
    return seat or board.shortage(role, wanted=1, placed=0)


_Key = tuple[int | str, ...]


class _Board:
    """Places that are taken while a plan is made."""

    def __init__(self, candidates: Iterable[Candidate], *, seats: Sequence[Seat] = ()) -> None:
        every = sorted(candidates, key=lambda each: each.name)
        self._usable = [each for each in every if not each.barred]
        self._barred = tuple((each.name, each.barred) for each in every if each.barred)
        self._by_node = {each.node: each for each in every}
        self._free = {each.node: each.free for each in every}
        self._seats = list(seats)
        self._warnings: list[str] = []

    def seat(
        self,
        role: Role,
        member: str,
        choose: Callable[[], Candidate | None],
        *,
        rank: int | None = None,
    ) -> Seat | None:
        """Take the place that ``choose`` gives."""
        chosen = choose()
        if chosen is None:
            return None
        if role is Role.STANDBY:
            self._warn_of_neighbours(member, chosen)
        if role is not Role.COORDINATOR:
            self._free[chosen.node] -= 1
        seat = Seat(member=member, role=role, node=chosen.node, node_name=chosen.name, rank=rank)
        self._seats.append(seat)
        return seat

    def for_rank(self) -> Candidate | None:
        """Give the emptiest node of the rack that carries the fewest ranks; never a spare."""
        loads = self._loads(Role.RANK)
        return self._best(
            (each for each in self._with_room() if not each.is_spare),
            lambda each: (self._at(each, Role.RANK), _shared(each, loads)),
        )

    def for_standby(self) -> Candidate | None:
        """Give a spare, off the ranks' nodes, and off their racks and feeds where that can be."""
        ranks, standbys = self._loads(Role.RANK), self._loads(Role.STANDBY)
        return self._best(
            self._with_room(),
            lambda each: (
                self._at(each, Role.RANK),
                not each.is_spare,
                self._at(each, Role.STANDBY),
                _shared(each, ranks),
                _shared(each, standbys),
            ),
        )

    def for_coordinator(self) -> Candidate | None:
        """Give a node apart from other coordinators, rather without ranks."""
        coordinators = self._loads(Role.COORDINATOR)
        return self._best(
            self._usable,
            lambda each: (
                self._at(each, Role.COORDINATOR),
                _shared(each, coordinators),
                self._at(each, Role.RANK),
            ),
        )

    def placement(self) -> Placement:
        """Give the plan."""
        return Placement(seats=tuple(self._seats), warnings=tuple(self._warnings))

    def shortage(self, role: Role, *, wanted: int, placed: int | None = None) -> Shortage:
        """Say what is missing."""
        found = sum(1 for seat in self._seats if seat.role is role)
        return Shortage(
            role=role,
            wanted=wanted,
            placed=found if placed is None else placed,
            barred=self._barred,
        )

    def _with_room(self) -> Iterable[Candidate]:
        return (each for each in self._usable if self._free[each.node] > 0)

    def _best(
        self, candidates: Iterable[Candidate], key: Callable[[Candidate], _Key]
    ) -> Candidate | None:
        return min(candidates, key=lambda each: (*key(each), each.name), default=None)

    def _at(self, candidate: Candidate, role: Role) -> int:
        """Count the members of a role on one node."""
        return sum(1 for seat in self._seats if seat.node == candidate.node and seat.role is role)

    def _loads(self, role: Role) -> Counter[str]:
        """Count the members of a role in each failure domain."""
        loads: Counter[str] = Counter()
        for seat in self._seats:
            if seat.role is role and seat.node in self._by_node:
                loads.update(self._by_node[seat.node].domains)
        return loads

    def _warn_of_neighbours(self, member: str, chosen: Candidate) -> None:
        ranks = sorted(
            seat.rank if seat.rank is not None else -1
            for seat in self._seats
            if seat.node == chosen.node and seat.role is Role.RANK
        )
        if ranks:
            self._warnings.append(
                f"{member} shares {chosen.name} with a rank: losing that node loses both"
            )


def _shared(candidate: Candidate, loads: Counter[str]) -> int:
    """Count how many members are lost together with this node's domains, domain by domain."""
    return sum(loads[domain] for domain in candidate.domains)

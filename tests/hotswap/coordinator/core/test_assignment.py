"""Which member mirrors which rank."""

from collections.abc import Mapping

from hotswap.coordinator.core.assignment import assign_mirrors


def assign(
    *,
    owners: tuple[str, ...] = ("a", "b"),
    standbys: tuple[str, ...] = ("s",),
    current: Mapping[int, tuple[str, ...]] | None = None,
    complete: set[tuple[int, str]] | None = None,
    wanted: tuple[int, str] | None = None,
) -> dict[int, tuple[str, ...]]:
    """Assign among living members; return the whole assignment."""
    changes = assign_mirrors(
        owners=owners,
        standbys=standbys,
        living={*owners, *standbys},
        current=current or {},
        complete=complete or set(),
        wanted=wanted,
    )
    assigned = {**(current or {}), **changes}
    return {rank: names for rank, names in sorted(assigned.items()) if names}


def test_one_standby_mirrors_every_rank() -> None:
    assert assign() == {0: ("s",), 1: ("s",)}


def test_ranks_are_spread_evenly_over_the_standbys() -> None:
    assigned = assign(owners=("a", "b", "c", "d"), standbys=("s", "t"))
    assert sorted(name for (name,) in assigned.values()) == ["s", "s", "t", "t"]


def test_without_a_standby_nothing_is_mirrored() -> None:
    assert assign(standbys=()) == {}


def test_a_mirror_stays_until_the_one_that_replaces_it_is_complete() -> None:
    current = {0: ("s",), 1: ("s",)}
    moving = assign(standbys=("s", "t"), current=current, complete={(0, "s"), (1, "s")})
    moved = next(rank for rank, names in moving.items() if "t" in names)
    assert moving[moved] == ("t", "s")
    done = assign(standbys=("s", "t"), current=moving, complete={(0, "s"), (1, "s"), (moved, "t")})
    assert done[moved] == ("t",)


def test_a_standby_that_took_a_rank_over_mirrors_nothing_any_more() -> None:
    """It could not take another one: the rank would seem protected, and not be."""
    current = {0: ("s",), 1: ("s",)}
    assert assign(owners=("a", "s"), standbys=(), current=current) == {}


def test_a_planned_swap_gets_its_mirror_beside_the_present_one() -> None:
    current = {0: ("s",), 1: ("t",)}
    complete = {(0, "s"), (1, "t")}
    assigned = assign(standbys=("s", "t"), current=current, complete=complete, wanted=(0, "t"))
    assert assigned == {0: ("s", "t"), 1: ("t",)}

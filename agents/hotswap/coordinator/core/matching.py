"""Matching ranks that need an owner with members that can be it. Pure."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Rank = TypeVar("Rank", bound=Hashable)
Owner = TypeVar("Owner", bound=Hashable)


def match(candidates: Mapping[Rank, Sequence[Owner]]) -> dict[Rank, Owner]:
    """Give each rank one of its candidates, no candidate twice; as many ranks as possible.

    A rank gets an earlier candidate of its list where that takes nothing from another rank.
    Augmenting paths (Kuhn): cost is ranks times candidates, and few ranks are ever lost at once.
    """
    taken: dict[Owner, Rank] = {}
    for rank in candidates:
        _augment(rank, candidates, taken, seen=set())
    return {rank: owner for owner, rank in taken.items()}


def _augment(
    rank: Rank,
    candidates: Mapping[Rank, Sequence[Owner]],
    taken: dict[Owner, Rank],
    seen: set[Owner],
) -> bool:
    """Find an owner for ``rank``, moving others where needed."""
    for owner in candidates[rank]:
        if owner in seen:
            continue
        seen.add(owner)
        if owner not in taken or _augment(taken[owner], candidates, taken, seen):
            taken[owner] = rank
            return True
    return False

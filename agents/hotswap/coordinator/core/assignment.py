"""Which member mirrors which rank. Pure."""

import heapq
from collections.abc import Collection, Mapping, Sequence


def assign_mirrors(
    *,
    owners: Sequence[str],
    standbys: Sequence[str],
    living: Collection[str],
    current: Mapping[int, tuple[str, ...]],
    complete: Collection[tuple[int, str]],
    wanted: tuple[int, str] | None,
) -> dict[int, tuple[str, ...]]:
    """Give each rank a mirror among the standbys, evenly, and move as few as possible.

    A mirror that is to be replaced stays until the new one is complete: no rank is left without
    one meanwhile. A standby that has taken a rank over mirrors nothing any more: it could not take
    another one, so that a rank which only it mirrored would seem protected and not be.

    Args:
        owners: by rank.
        standbys: living members that own no rank, in a fixed order.
        living: all living members.
        current: present assignment: the mirror that is to stay first, then those to be replaced.
        complete: (rank, member) of the mirrors that hold the rank's whole state.
        wanted: a rank and the standby that is to mirror it for a planned swap, beside its mirror.

    """
    free = set(living) - set(owners)
    kept = {
        rank: tuple(name for name in current.get(rank, ()) if name in free)
        for rank in range(len(owners))
    }
    chosen = _choose(len(owners), standbys, kept)
    assignment = {}
    for rank, names in kept.items():
        best = chosen.get(rank)
        lines = (*(() if best is None else (best,)), *(name for name in names if name != best))
        if best is not None and (rank, best) in complete:
            lines = (best,)
        if wanted is not None and wanted[0] == rank and wanted[1] not in lines:
            lines = (*lines, wanted[1])
        if lines:
            assignment[rank] = lines
    return assignment


def _choose(
    ranks: int, standbys: Sequence[str], kept: Mapping[int, tuple[str, ...]]
) -> dict[int, str]:
    """Choose one standby a rank; none takes more than its share while another has less."""
    if not standbys:
        return {}
    share = -(-ranks // len(standbys))
    load = dict.fromkeys(standbys, 0)
    chosen: dict[int, str] = {}
    for rank in range(ranks):
        best = next((name for name in kept[rank] if load.get(name, share) < share), None)
        if best is not None:
            chosen[rank] = best
            load[best] += 1
    queue = [(count, place, name) for place, (name, count) in enumerate(load.items())]
    heapq.heapify(queue)
    for rank in range(ranks):
        if rank not in chosen:
            count, place, name = queue[0]
            chosen[rank] = name
            heapq.heapreplace(queue, (count + 1, place, name))
    return chosen

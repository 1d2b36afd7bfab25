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
    """Give each rank a mirror among the standbys, evenly, and change as little as possible.

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

    Returns:
        What changes: new lines by rank, empty where nobody mirrors the rank any more.

    """
    room = dict.fromkeys(standbys, -(-len(owners) // len(standbys)) if standbys else 0)
    unsettled = []
    for rank in range(len(owners)):
        lines = current.get(rank, ())
        if len(lines) == 1 and room.get(lines[0], 0) > 0 and (not wanted or wanted[0] != rank):
            room[lines[0]] -= 1
        else:
            unsettled.append(rank)
    chosen = _choose(unsettled, room, current)
    free = set(living).difference(owners)
    changes = {}
    for rank in unsettled:
        best = chosen.get(rank)
        kept = [name for name in current.get(rank, ()) if name in free and name != best]
        if best is not None and (rank, best) in complete:
            kept = []
        lines = (*(() if best is None else (best,)), *kept)
        if wanted is not None and wanted[0] == rank and wanted[1] not in lines:
            lines = (*lines, wanted[1])
        if lines != current.get(rank, ()):
            changes[rank] = lines
    return changes


def _choose(
    ranks: Sequence[int], room: dict[str, int], current: Mapping[int, tuple[str, ...]]
) -> dict[int, str]:
    """Choose one standby a rank; none takes more than its share while another has less."""
    if not room:
        return {}
    chosen: dict[int, str] = {}
    for rank in ranks:
        best = next((name for name in current.get(rank, ()) if room.get(name, 0) > 0), None)
        if best is not None:
            chosen[rank] = best
            room[best] -= 1
    queue = [(-count, place, name) for place, (name, count) in enumerate(room.items())]
    heapq.heapify(queue)
    for rank in ranks:
        if rank not in chosen:
            count, place, name = queue[0]
            chosen[rank] = name
            heapq.heapreplace(queue, (count + 1, place, name))
    return chosen

"""Which sets are complete, which are kept, and the removal of the others."""

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hotswap.checkpoint.layout import SetKey, list_recorded_ranks, list_sets, set_directory
from hotswap.checkpoint.record import read_summary
from hotswap.errors import CheckpointDamaged, CheckpointMissing
from hotswap.transfer.atomic import sync_directory

#: Unfinished sets that are left alone: the one being written, and one that a slow rank is still at.
UNFINISHED_KEPT: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStatus:
    """Whether a set is complete."""

    key: SetKey
    # ranks in the job when it was captured; None: the set is not complete
    world_size: int | None
    # what keeps it from being complete; None: it is
    problem: str | None


def inspect_set(directory: Path, key: SetKey) -> SetStatus:
    """Return whether every rank has a record in set ``key`` and all records agree.

    Records are read, tensors are not.
    """
    ranks = list_recorded_ranks(directory, key)
    if not ranks:
        return SetStatus(key=key, world_size=None, problem="no rank has a record")
    try:
        summaries = [read_summary(directory, key, rank=rank) for rank in ranks]
    except (CheckpointDamaged, CheckpointMissing) as error:
        return SetStatus(key=key, world_size=None, problem=str(error))
    stated = {(summary.manifest.job, summary.world_size) for summary in summaries}
    if len(stated) > 1:
        problem = f"the records disagree on job and number of ranks: {sorted(stated)}"
        return SetStatus(key=key, world_size=None, problem=problem)
    world_size = summaries[0].world_size
    missing = sorted(set(range(world_size)) - set(ranks))
    if missing:
        problem = f"rank {', '.join(map(str, missing))} of {world_size} has no record"
        return SetStatus(key=key, world_size=None, problem=problem)
    return SetStatus(key=key, world_size=world_size, problem=None)


def retained(statuses: Iterable[SetStatus], *, keep: int) -> set[SetKey]:
    """Return the sets that stay: the newest ``keep`` complete ones, and unfinished newer ones.

    As long as there is a complete set, the newest one stays: ``keep`` is at least 1. Of the
    unfinished sets newer than it, the newest `UNFINISHED_KEPT` stay; older ones can no longer help.
    """
    newest_first = sorted(statuses, key=lambda status: status.key, reverse=True)
    complete = [status.key for status in newest_first if status.problem is None][: max(keep, 1)]
    unfinished = [
        status.key
        for status in newest_first
        if status.problem is not None and (not complete or status.key > complete[0])
    ]
    return {*complete, *unfinished[:UNFINISHED_KEPT]}


def prune(directory: Path, *, keep: int) -> Sequence[SetKey]:
    """Remove the sets that `retained` does not keep; return them, oldest first.

    One process per job calls this at a time. Raises `OSError` when a file cannot be removed.
    """
    keys = list_sets(directory)
    kept = retained((inspect_set(directory, key) for key in keys), keep=keep)
    removed = [key for key in keys if key not in kept]
    for key in removed:
        _remove_set(set_directory(directory, key))
    if removed:
        sync_directory(directory)
    return removed


def _remove_set(path: Path) -> None:
    # Records first: a set that is half removed must not look complete.
    for file in sorted(path.iterdir(), key=lambda file: (file.suffix != ".json", file.name)):
        file.unlink(missing_ok=True)
    # A late writer of an abandoned set may just have put a file there: the next pruning gets it.
    with contextlib.suppress(OSError):
        path.rmdir()

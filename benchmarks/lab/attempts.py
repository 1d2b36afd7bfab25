"""What ranks wrote about their steps, and what a disturbance cost by that. Pure, but for `read`.

Moments are CLOCK_MONOTONIC, s, which all processes of a machine share.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

#: Steps before a disturbance that its longest gap is compared with.
STEPS_BEFORE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One rank's attempt at a step."""

    rank: int
    member: str
    step: int
    epoch: int
    begun_s: float
    # processor time of the process until then, s
    cpu_s: float
    # None: the process died in it
    ended_s: float | None = None
    committed: bool = False


def read(folder: Path) -> list[Attempt]:
    """Read the files of all owners."""
    found: list[Attempt] = []
    for path in sorted(folder.glob("attempts-*.jsonl")):
        rank, member, _ = path.name.removeprefix("attempts-").split(".")
        # what a process was writing when it was killed has no end of line
        lines = [line for line in path.read_text().splitlines(keepends=True) if line[-1] == "\n"]
        found += parse(map(json.loads, lines), rank=int(rank), member=member)
    return found


def parse(lines: Iterable[Mapping[str, object]], *, rank: int, member: str) -> list[Attempt]:
    """Pair beginnings with ends."""
    found: list[Attempt] = []
    for line in lines:
        if "begun" in line:
            found.append(
                Attempt(
                    rank=rank,
                    member=member,
                    step=_whole(line["begun"]),
                    epoch=_whole(line["epoch"]),
                    begun_s=_number(line["at_s"]),
                    cpu_s=_number(line["cpu_s"]),
                )
            )
        elif found and found[-1].step == line["ended"] and found[-1].ended_s is None:
            ended_s, committed = _number(line["at_s"]), line["committed"] is True
            found[-1] = replace(found[-1], ended_s=ended_s, committed=committed)
    return found


def commits(attempts: Iterable[Attempt]) -> list[float]:
    """Return when each step was committed, in order: when the first rank says so."""
    first: dict[int, float] = {}
    for attempt in attempts:
        if attempt.committed and attempt.ended_s is not None:
            first[attempt.step] = min(first.get(attempt.step, attempt.ended_s), attempt.ended_s)
    return sorted(first.values())


def step_ms(moments: Sequence[float]) -> float | None:
    """Return the median time between two commits; None: there are fewer than two."""
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments)]
    return median(gaps) * 1000 if gaps else None


def commit_gap_ms(moments: Sequence[float], *, window: tuple[float, float]) -> float | None:
    """Return the longest time between two commits, less the median step before the window.

    Args:
        moments: of the commits, in order.
        window: from the disturbance until the job does its usual steps again. Gaps that end in it
            count; before and after it the job may be walking.

    """
    pairs = list(itertools.pairwise(moments))
    inside = [b - a for a, b in pairs if window[0] <= b <= window[1]]
    before = [b - a for a, b in pairs if b < window[0]][-STEPS_BEFORE:]
    if not inside or not before:
        return None
    return (max(inside) - median(before)) * 1000


def stall_ms(attempts: Iterable[Attempt], *, lost_s: float, ranks: int) -> float | None:
    """Return the time from a loss until every rank has begun to compute in a later epoch.

    None: not every rank did.
    """
    known = list(attempts)
    former = max((each.epoch for each in known if each.begun_s < lost_s), default=0)
    resumed: dict[int, float] = {}
    for each in known:
        if each.begun_s >= lost_s and each.epoch > former:
            resumed[each.rank] = min(resumed.get(each.rank, each.begun_s), each.begun_s)
    if len(resumed) < ranks:
        return None
    return (max(resumed.values()) - lost_s) * 1000


def recomputed_ms(attempts: Iterable[Attempt], *, lost_s: float) -> float:
    """Return the work that survivors had put into the step under way and had to do again."""
    known = list(attempts)
    wasted = [
        lost_s - each.begun_s
        for each in known
        if each.begun_s <= lost_s
        and each.ended_s is not None
        and each.ended_s > lost_s
        and not each.committed
        and any(
            other.rank == each.rank and other.step == each.step and other.epoch > each.epoch
            for other in known
        )
    ]
    return max(wasted, default=0.0) * 1000


def steps_lost(attempts: Iterable[Attempt]) -> int:
    """Count steps that were computed again though they had been committed."""
    committed: dict[int, int] = {}
    begun: dict[int, int] = {}
    for each in attempts:
        begun[each.step] = max(begun.get(each.step, 0), each.epoch)
        if each.committed:
            committed[each.step] = min(committed.get(each.step, each.epoch), each.epoch)
    return sum(begun[step] > epoch for step, epoch in committed.items())


def _whole(value: object) -> int:
    assert isinstance(value, int), "steps and epochs are whole numbers"
    return value


def _number(value: object) -> float:
    assert isinstance(value, int | float), "moments are numbers"
    return float(value)

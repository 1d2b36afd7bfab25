"""What a job's leaders have written down, by which its pace is measured."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = "events.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A step that a leader has heard of."""

    epoch: int
    step: int
    # CLOCK_MONOTONIC, s
    at_s: float


def events_read(job: Path) -> list[dict[str, Any]]:
    """Return every whole line of the events."""
    *lines, _ = (job / NAME).read_bytes().split(b"\n")
    return [json.loads(line) for line in lines]


def commits(events: Sequence[dict[str, Any]]) -> list[Commit]:
    """Return the committed steps among events."""
    return [
        Commit(epoch=each["epoch"], step=each["step"], at_s=each["monotonic_s"])
        for each in events
        if each["kind"] == "committed"
    ]


def pace(found: Sequence[Commit], *, from_s: float, until_s: float) -> float | None:
    """Return steps per second between the last commit before a time and the first after another.

    By the numbers of steps: those of which no leader has heard count. None: nothing came after.
    """
    before = [each for each in found if each.at_s <= from_s]
    after = [each for each in found if each.at_s >= until_s]
    if not before or not after:
        return None
    return (after[0].step - before[-1].step) / (after[0].at_s - before[-1].at_s)


def unheard(found: Sequence[Commit]) -> int:
    """Count the steps between the first and the last that no leader has heard of."""
    steps = {each.step for each in found}
    return max(steps) - min(steps) + 1 - len(steps) if steps else 0

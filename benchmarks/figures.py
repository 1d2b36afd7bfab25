"""Figures, the bars that they are held against, and how both are shown. Pure, but for `write`."""

from __future__ import annotations

import json
import math
import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

Figures = dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What a figure has to reach."""

    row: str
    measure: str
    # at most this; a truth has to be this
    limit: float | bool
    # at least instead of at most
    least: bool = False

    def meets(self, value: object) -> bool | None:
        """Whether ``value`` reaches it; None: it was not measured."""
        if not isinstance(value, bool | int | float):
            return None
        if isinstance(self.limit, bool):
            return value is self.limit
        return value >= self.limit if self.least else value <= self.limit

    @property
    def wanted(self) -> str:
        """What it asks for, in short."""
        if isinstance(self.limit, bool):
            return json.dumps(self.limit)
        return f"{'>=' if self.least else '<='} {self.limit:g}"


BARS = (
    Bar(row="a", measure="pause_ms_p50", limit=20),
    Bar(row="a", measure="pause_ms_max", limit=100),
    Bar(row="a", measure="bit_identical", limit=True),
    Bar(row="b", measure="stall_ms_p50", limit=250),
    Bar(row="b", measure="stall_ms_p99", limit=500),
    Bar(row="b", measure="steps_lost", limit=0),
    Bar(row="b", measure="samples_lost", limit=0),
    Bar(row="b", measure="samples_doubled", limit=0),
    Bar(row="b", measure="bit_identical", limit=True),
    Bar(row="c", measure="two_owners", limit=False),
    Bar(row="c", measure="healed_refused", limit=True),
    Bar(row="c", measure="within_lease", limit=True),
    Bar(row="c", measure="bit_identical", limit=True),
    Bar(row="d", measure="election_ms_p99", limit=1000),
    Bar(row="d", measure="bit_identical", limit=True),
    Bar(row="g", measure="cpu_without_mirror_ratio", limit=1.03),
    Bar(row="g", measure="cpu_with_mirror_ratio", limit=1.08),
    Bar(row="h", measure="commit_gap_to_best_peer_ratio", limit=0.25),
    Bar(row="h", measure="only_one_with_same_losses", limit=True),
    Bar(row="j", measure="handling_ms_max", limit=50),
)

# the control plane's rows have letters of their own
PLANE_BARS = (
    Bar(row="b", measure="wrong", limit=0),
    Bar(row="c", measure="dashboards", limit=200, least=True),
    Bar(row="c", measure="event_to_socket_ms_p95", limit=300),
    Bar(row="c", measure="event_to_screen_ms_p95", limit=300),
    Bar(row="c", measure="numbers_skipped", limit=0),
    Bar(row="d", measure="reports_per_s", limit=1000, least=True),
    Bar(row="d", measure="reports_refused", limit=0),
    Bar(row="d", measure="api_read_ms_p99", limit=100),
    Bar(row="f", measure="training_pace_ratio", limit=0.9, least=True),
    Bar(row="f", measure="swap_pace_ratio", limit=0.9, least=True),
    Bar(row="f", measure="swap_completed", limit=True),
    Bar(row="f", measure="swap_certified", limit=True),
    Bar(row="f", measure="broker_pace_ratio", limit=0.9, least=True),
    Bar(row="f", measure="steps_unheard_by_the_plane", limit=0),
    Bar(row="f", measure="events_unheard_by_the_plane", limit=0),
    Bar(row="f", measure="audit_verifies", limit=True),
)


def percentile(values: Sequence[float | None], share: float) -> float | None:
    """Return the smallest value that at least ``share`` of all reach (nearest rank).

    A value that is None never came: it counts as larger than any other.
    """
    if not values:
        return None
    ordered = sorted(math.inf if value is None else value for value in values)
    found = ordered[max(0, math.ceil(share * len(ordered)) - 1)]
    return None if math.isinf(found) else found


def spread(name: str, values: Sequence[float | None]) -> dict[str, object]:
    """Return p50, p99 and maximum of a measure under its name."""
    return {
        f"{name}_{label}": rounded(percentile(values, share))
        for label, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
    }


def rounded(value: float | None) -> float | None:
    """Drop digits that nobody measured."""
    return None if value is None else round(value, 3)


def slope(values: Sequence[float]) -> float | None:
    """Return the change per place of a straight line through ``values`` (least squares)."""
    count = len(values)
    if count <= 1:
        return None
    middle, mean = (count - 1) / 2, sum(values) / count
    above = sum((place - middle) * (value - mean) for place, value in enumerate(values))
    return above / sum((place - middle) ** 2 for place in range(count))


def every(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all are true; None: one is not known and none is false, or there is none."""
    known = list(verdicts)
    if False in known:
        return False
    return None if None in known or not known else True


def render(figures: Figures, *, bars: Sequence[Bar] = BARS) -> str:
    """Return the figures as lines: row, measure, value, bar."""
    by_name = {(bar.row, bar.measure): bar for bar in bars}
    lines = []
    for row, measures in figures.items():
        for measure, value in measures.items():
            if isinstance(value, dict | list) and row == "h":
                continue  # the comparison prints a table of its own
            bar = by_name.get((row, measure))
            shown = "not measured" if value is None else json.dumps(value)
            lines.append(f"{row}  {measure:<44} {shown:<24} {_verdict(bar, value)}".rstrip())
    return "\n".join(lines)


def _verdict(bar: Bar | None, value: object) -> str:
    if bar is None:
        return ""
    words = {True: "met", False: "MISSED", None: "unknown"}[bar.meets(value)]
    return f"bar {bar.wanted}: {words}"


def machine() -> dict[str, object]:
    """Return on what, and under which load, something was measured."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "load_average_1_min": round(os.getloadavg()[0], 2),
    }


def write(path: Path | None, figures: Mapping[str, object]) -> None:
    """Write one JSON object, if a file was asked for."""
    if path is not None:
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")

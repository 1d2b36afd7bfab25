"""Signals of a node over time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from apps.fleet.domain.rules import RULE_VERSION, RULES, SignalKind, SignalRule
from apps.fleet.domain.series import Point, series_from
from apps.fleet.domain.signals import Source
from apps.fleet.limits import CHART_S, CHART_SAMPLES_MAX, SAMPLES_KEPT_S, STALE_AFTER_S
from apps.fleet.models import NodeReport, SignalSample


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One signal over time."""

    # name of the signal
    name: str
    # unit of its figure
    unit: str
    # simulated if any point is
    source: Source
    # thresholds; None: the rule has none
    rule: SignalRule | None
    # the figures; a gap is a point without one
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A stretch of time."""

    # from and to, both included
    start: datetime
    end: datetime

    @classmethod
    def ending(
        cls, *, now: datetime, start: datetime | None = None, end: datetime | None = None
    ) -> "Window":
        """Return a stretch within what is kept; without a start, the last `CHART_S` of it."""
        oldest = now - timedelta(seconds=SAMPLES_KEPT_S)
        end = min(end or now, now)
        start = start or end - timedelta(seconds=CHART_S)
        return cls(start=max(start, oldest), end=end)


class _Sample(NamedTuple):
    """What a chart needs of a sample: there are thousands."""

    at: datetime
    simulated: list[str]
    figures: dict[str, float | None]


def lines_get(*, node_id: UUID, window: Window, gap_s: float = STALE_AFTER_S) -> tuple[Line, ...]:
    """Return a node's signals as lines, in the order of their names; two queries.

    If there are more samples than the limit, the oldest are left out.
    """
    rows = SignalSample.objects.filter(
        node_id=node_id, at__gte=window.start, at__lte=window.end
    ).order_by("-at", "-sequence")
    samples = [
        _Sample(*row) for row in rows.values_list("at", "simulated", "values")[:CHART_SAMPLES_MAX]
    ][::-1]
    units = _units(node_id)
    names = sorted({name for sample in samples for name in sample.figures})
    return tuple(_line(name=name, units=units, samples=samples, gap_s=gap_s) for name in names)


def _units(node_id: UUID) -> dict[str, str]:
    """Return the units in which a node sent its signals last."""
    report = NodeReport.objects.filter(node_id=node_id).only("signals").first()
    return {} if report is None else {name: unit for name, _, unit, *_ in report.signals}


def _line(*, name: str, units: dict[str, str], samples: list[_Sample], gap_s: float) -> Line:
    """Return one signal as a line; a sample that lacks it is a gap."""
    rule = RULES[RULE_VERSION].find(name)
    # a counter's figure is its increase: the rule's unit, not the one that was sent
    judged = rule is not None and rule.kind is SignalKind.COUNTER
    simulated = any(name in sample.simulated for sample in samples)
    return Line(
        name=name,
        unit=rule.unit if rule is not None and judged else units.get(name, ""),
        source=Source.SIMULATED if simulated else Source.MEASURED,
        rule=rule,
        points=series_from(
            samples=[Point(at=sample.at, value=sample.figures.get(name)) for sample in samples],
            gap_s=gap_s,
        ),
    )

"""From a report to what is kept of it: figures, counters, whether it is news at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.fleet.domain.counters import Counter, counter_advance
from apps.fleet.domain.rules import DEVICES_MISSING, RuleBook, SignalKind
from apps.fleet.domain.signals import Reading, Report, Signal, Source

# signals of one report; what is beyond is dropped
SIGNALS_MAX: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is kept of a node's latest report."""

    # names one run of the node's agent
    boot: str
    # number of the report within its boot
    sequence: int
    # when the node sent it, never later than it arrived
    at: datetime
    # simulated if any of its signals is
    source: Source
    # one entry a signal
    readings: tuple[Reading, ...]
    # state of each counter that the rule judges, by name
    counters: Mapping[str, Counter]


def report_is_news(*, previous: Kept | None, report: Report) -> bool:
    """Whether a report says more about now than the one that is kept.

    Within a boot the sequence decides. Between two boots the time does: the boot that began later
    sent later.
    """
    if previous is None:
        return True
    if report.boot == previous.boot:
        return report.sequence > previous.sequence
    return report.at > previous.at


def report_advance(
    *,
    previous: Kept | None,
    report: Report,
    accelerators: int,
    book: RuleBook,
    received_at: datetime,
) -> Kept:
    """Return what is kept after a report that is news.

    A clock that runs ahead does not keep a report fresh for longer: it counts as sent when it
    arrived, at the latest.
    """
    at = min(report.at, received_at)
    counters: dict[str, Counter] = {}
    readings = []
    for signal in _signals(report=report, accelerators=accelerators):
        figure = signal.value
        rule = book.find(signal.name)
        if rule is not None and rule.kind is SignalKind.COUNTER:
            before = None if previous is None else previous.counters.get(signal.name)
            figure = _increase(
                counters=counters, before=before, signal=signal, boot=report.boot, at=at
            )
        readings.append(
            Reading(
                name=signal.name,
                value=signal.value,
                unit=signal.unit,
                source=signal.source,
                figure=figure,
            )
        )
    return Kept(
        boot=report.boot,
        sequence=report.sequence,
        at=at,
        source=_source(readings),
        readings=tuple(readings),
        counters=counters,
    )


def _increase(
    *,
    counters: dict[str, Counter],
    before: Counter | None,
    signal: Signal,
    boot: str,
    at: datetime,
) -> float | None:
    """Note a counter's value in ``counters``; return its increase per minute, None if unknown."""
    if signal.value is None:
        # not read this time: the next value goes on from the one before
        if before is not None:
            counters[signal.name] = before
        return None
    counters[signal.name], figure = counter_advance(
        previous=before, boot=boot, value=signal.value, at=at
    )
    return figure


def _signals(*, report: Report, accelerators: int) -> list[Signal]:
    """Return the first of each name, with the one that is derived from the inventory."""
    found: dict[str, Signal] = {}
    for signal in report.signals[:SIGNALS_MAX]:
        found.setdefault(signal.name, signal)
    if report.devices_seen is not None and accelerators > 0:
        found[DEVICES_MISSING] = Signal(
            name=DEVICES_MISSING,
            value=max(accelerators - report.devices_seen, 0),
            unit="count",
            source=Source.MEASURED,
        )
    return list(found.values())


def _source(readings: list[Reading]) -> Source:
    """Return simulated if any reading is: nothing that is made up passes for measured."""
    simulated = any(reading.source is Source.SIMULATED for reading in readings)
    return Source.SIMULATED if simulated else Source.MEASURED

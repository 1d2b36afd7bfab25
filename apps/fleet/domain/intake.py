"""From a report to what is kept of it: figures, counters, whether it is news at all."""

import math
from collections.abc import Iterable, Mapping
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
        value = _finite(signal.value)
        figure = value
        if _is_counter(book, signal.name):
            before = None if previous is None else previous.counters.get(signal.name)
            figure = _increase(
                counters=counters,
                before=before,
                name=signal.name,
                value=value,
                boot=report.boot,
                at=at,
            )
        readings.append(
            Reading(
                name=signal.name,
                value=value,
                unit=signal.unit,
                source=signal.source,
                figure=figure,
            )
        )
    return Kept(
        boot=report.boot,
        sequence=report.sequence,
        at=at,
        source=Source.SIMULATED if simulated_names(readings) else Source.MEASURED,
        readings=tuple(readings),
        counters=counters,
    )


def report_late(*, report: Report, book: RuleBook) -> dict[str, float | None]:
    """Return figures of a report that comes too late to be news, for the chart alone.

    Increases of counters are not known: what came before it has been counted already.
    """
    return {
        signal.name: None if _is_counter(book, signal.name) else _finite(signal.value)
        for signal in report.signals[:SIGNALS_MAX]
        if signal.name.isprintable()
    }


def _is_counter(book: RuleBook, name: str) -> bool:
    rule = book.find(name)
    return rule is not None and rule.kind is SignalKind.COUNTER


def _finite(value: float | None) -> float | None:
    """Return a value; None if it is no number, or not a finite one."""
    return value if value is not None and math.isfinite(value) else None


def _increase(
    *,
    counters: dict[str, Counter],
    before: Counter | None,
    name: str,
    value: float | None,
    boot: str,
    at: datetime,
) -> float | None:
    """Note a counter's value in ``counters``; return its increase per minute, None if unknown."""
    if value is None:
        # not read this time: the next value goes on from the one before
        if before is not None:
            counters[name] = before
        return None
    counters[name], figure = counter_advance(previous=before, boot=boot, value=value, at=at)
    return _finite(figure)


def _signals(*, report: Report, accelerators: int) -> list[Signal]:
    """Return the first of each name, with the one that is derived from the inventory."""
    found: dict[str, Signal] = {}
    for signal in report.signals[:SIGNALS_MAX]:
        # what cannot be printed cannot be kept either
        if signal.name.isprintable() and signal.unit.isprintable():
            found.setdefault(signal.name, signal)
    devices = None if report.inventory is None else report.inventory.devices
    if devices is not None and accelerators > 0:
        found[DEVICES_MISSING] = Signal(
            name=DEVICES_MISSING,
            value=max(accelerators - len(devices), 0),
            unit="count",
            source=Source.MEASURED,
        )
    return list(found.values())


def simulated_names(signals: Iterable[Signal | Reading]) -> list[str]:
    """Return the names of what is made up, so that none of it passes for measured."""
    return [signal.name for signal in signals if signal.source is Source.SIMULATED]

"""How bad a node is, and why: the published rule applied signal by signal.

A grade is the worst that any signal says. What nobody knows is never good: a node is `low` only if
every signal that its kind needs is known. Bad news needs no completeness: one signal that is high
makes the node high, whatever else is missing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.fleet.domain.rules import Direction, RuleBook, SignalKind, SignalRule, signal_base
from apps.fleet.domain.signals import Reading, Source


class Grade(StrEnum):
    """How much a node is at risk; `unknown` is no grade and never healthy."""

    UNKNOWN = "unknown"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


# how bad each is; an unknown stands between what is fine and what is not
SEVERITY: Final[Mapping[Grade, int]] = {
    Grade.LOW: 0,
    Grade.UNKNOWN: 1,
    Grade.MEDIUM: 2,
    Grade.HIGH: 3,
    Grade.CRITICAL: 4,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What one signal says about its node."""

    # name of the signal
    name: str
    # the figure that was judged: the value of a gauge, the increase per minute of a counter
    figure: float | None
    # unit of the figure
    unit: str
    # what this signal alone makes of the node; None: the rule has no opinion about it
    grade: Grade | None
    # measured or simulated; None: the report does not hold it
    source: Source | None
    # whether the node's kind has to report it
    required: bool
    # why, in a sentence
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A node's grade with everything that made it."""

    # the grade
    grade: Grade
    # version of the rule
    rule_version: int
    # one entry a signal, worst first
    contributions: tuple[Contribution, ...]
    # why, in a sentence
    reason: str


def grade_explain(
    *, book: RuleBook, readings: Sequence[Reading], accelerators: int, stale: bool
) -> Verdict:
    """Return a node's grade, explained signal by signal.

    Args:
        book: the version of the rule to apply.
        readings: the signals of the node's latest report.
        accelerators: how many the node's class has; decides which signals must be known.
        stale: whether the report is too old to speak about now.
    """
    needed = book.required if accelerators > 0 else frozenset()
    judged, others = [], []
    for reading in readings:
        rule = book.find(reading.name)
        if rule is None:
            others.append(_unjudged(reading))
        else:
            judged.append(_judge(rule=rule, reading=reading, needed=rule.name in needed))
    held = Counter(signal_base(reading.name) for reading in readings)
    judged += [
        _absent(rule=book.signals[name], held=held[name], accelerators=accelerators)
        for name in sorted(needed)
        if held[name] < accelerators
    ]
    grade, reason = _combine(judged=judged, stale=stale)
    ordered = sorted(judged, key=lambda each: (-SEVERITY[each.grade or Grade.LOW], each.name))
    return Verdict(
        grade=grade,
        rule_version=book.version,
        contributions=tuple(ordered + sorted(others, key=lambda each: each.name)),
        reason=reason,
    )


def grade_of(*, book: RuleBook, readings: Sequence[Reading], accelerators: int) -> Grade:
    """Return the grade alone, as `grade_explain` finds it for a fresh report."""
    missing = dict.fromkeys(book.required, accelerators)
    known = silent = False
    worst = Grade.UNKNOWN
    for reading in readings:
        rule = book.find(reading.name)
        if rule is None:
            continue
        if reading.figure is None:
            # one device too many does not make up for one that can't be read
            silent = silent or (rule.required and accelerators > 0)
            continue
        known = True
        if rule.required:
            missing[rule.name] -= 1
        found = _level(rule=rule, figure=reading.figure)
        if found is not Grade.LOW and SEVERITY[found] > SEVERITY[worst]:
            worst = found
    whole = known and not silent and all(count <= 0 for count in missing.values())
    if worst is Grade.UNKNOWN and whole:
        return Grade.LOW
    return worst


def _judge(*, rule: SignalRule, reading: Reading, needed: bool) -> Contribution:
    """Return what one signal says."""
    figure = reading.figure
    if figure is None:
        grade, reason = Grade.UNKNOWN, _silence(rule=rule, reading=reading)
    else:
        grade = _level(rule=rule, figure=figure)
        reason = _comparison(rule=rule, figure=figure, grade=grade)
    return Contribution(
        name=reading.name,
        figure=figure,
        unit=rule.unit,
        grade=grade,
        source=reading.source,
        required=needed,
        reason=reason,
    )


def _absent(*, rule: SignalRule, held: int, accelerators: int) -> Contribution:
    """Return what is to be said of accelerators that the report has no such signal of."""
    return Contribution(
        name=rule.name,
        figure=None,
        unit=rule.unit,
        grade=Grade.UNKNOWN,
        source=None,
        required=True,
        reason=f"reported of {held} accelerators, the node's class has {accelerators}",
    )


def _unjudged(reading: Reading) -> Contribution:
    """Return a signal that the rule has no opinion about."""
    return Contribution(
        name=reading.name,
        figure=reading.figure,
        unit=reading.unit,
        grade=None,
        source=reading.source,
        required=False,
        reason="the rule has no threshold for it",
    )


def _level(*, rule: SignalRule, figure: float) -> Grade:
    """Return the highest threshold that the figure has reached."""
    for grade, threshold in (
        (Grade.CRITICAL, rule.critical),
        (Grade.HIGH, rule.high),
        (Grade.MEDIUM, rule.medium),
    ):
        if threshold is None:
            continue
        falling = rule.direction is Direction.FALLING
        if figure <= threshold if falling else figure >= threshold:
            return grade
    return Grade.LOW


def _silence(*, rule: SignalRule, reading: Reading) -> str:
    """Say why a signal has no figure."""
    if rule.kind is SignalKind.COUNTER and reading.value is not None:
        return "the counter has begun anew: its increase is not known yet"
    return "the node could not read it"


def _comparison(*, rule: SignalRule, figure: float, grade: Grade) -> str:
    """Say which threshold the figure has or has not reached."""
    thresholds = {Grade.MEDIUM: rule.medium, Grade.HIGH: rule.high, Grade.CRITICAL: rule.critical}
    side = "at or below" if rule.direction is Direction.FALLING else "at or above"
    if grade is not Grade.LOW:
        return f"{figure:g} {rule.unit} is {side} {thresholds[grade]:g}"
    first = next(each for each in thresholds.values() if each is not None)
    return f"{figure:g} {rule.unit} is not {side} {first:g}"


def _combine(*, judged: Sequence[Contribution], stale: bool) -> tuple[Grade, str]:
    """Return the grade that the signals make together, and why."""
    if stale:
        return Grade.UNKNOWN, "the latest report is too old to speak about now"
    bad = [each for each in judged if each.grade not in {Grade.LOW, Grade.UNKNOWN}]
    if bad:
        worst = max(bad, key=lambda each: (SEVERITY[each.grade or Grade.LOW], each.name))
        return worst.grade or Grade.UNKNOWN, f"{worst.name}: {worst.reason}"
    missing = sorted(each.name for each in judged if each.required and each.figure is None)
    if missing:
        return Grade.UNKNOWN, f"not known: {', '.join(missing)}"
    if not any(each.figure is not None for each in judged):
        return Grade.UNKNOWN, "no signal that the rule judges is known"
    return Grade.LOW, "every signal that is known is below its thresholds"

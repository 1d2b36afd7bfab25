"""The band that validation loss must keep after a swap, registered before the swap begins.

A robust line is laid through the latest losses. The band's centre is where that line arrives at
the end of the watched steps; its half width allows for the scatter about the line, for the way
that the line itself still goes, and for a share of the loss. Who reads a swap later can redo it
from the numbers in the plan.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median
from typing import Final, Self

#: Latest points that the line is laid through.
HISTORY_POINTS: Final = 20
#: Fewer than this say nothing.
HISTORY_POINTS_MIN: Final = 4
#: Half width in scatters (1.4826 times the median deviation estimates a standard deviation).
SCATTERS: Final = 5.0
_DEVIATION_TO_SIGMA: Final = 1.4826
#: Half width is at least this share of the centre.
SHARE_MIN: Final = 0.05
#: So many points in a row outside the band are a deviation; one that is no number is one at once.
OUTSIDE_POINTS: Final = 2

RULE: Final = (
    f"line through the last {HISTORY_POINTS} points (Theil-Sen), taken to the end of the watch; "
    f"half width = {SCATTERS:g} scatters + the line's own way over the watch, "
    f"at least {SHARE_MIN:.0%} of the centre; "
    f"left by {OUTSIDE_POINTS} points in a row outside, or by one that is no number"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One loss, at one committed step."""

    # committed step
    step: int
    # loss; may be no number, which is a finding of its own
    loss: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The line through the latest losses, which a band is taken from."""

    # loss on the line at `from_step`
    level: float
    # loss per step
    slope: float
    # median deviation of the points from the line; loss
    scatter: float
    # last step that was known
    from_step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Where the loss must stay."""

    # "validation_loss", or "loss" for a job that validates nothing
    series: str
    # loss in the middle of the band
    centre: float
    # how far from it is still inside; loss
    half_width: float
    # how both were found, in words
    rule: str
    # points that were used
    points: int
    # what both were found from
    line: Line | None = None

    def holds(self, loss: float) -> bool:
        """Tell whether ``loss`` lies inside; what is no number never does."""
        return math.isfinite(loss) and abs(loss - self.centre) <= self.half_width

    def taken_to(self, step: int) -> Self:
        """Return the band as it is at ``step``, by the same line and rule.

        Where the watch ends is known only once the rank has changed hands: steps go by while a
        swap is made, and loss goes on.
        """
        if self.line is None:
            return self
        centre, half_width = _at(step, line=self.line)
        return replace(self, centre=centre, half_width=half_width)


class Finding(StrEnum):
    """What the watched losses say of a band."""

    # nothing yet
    UNKNOWN = "unknown"
    # the last point lies inside
    INSIDE = "inside"
    # the last point lies outside, and it is the first: the next one decides
    DOUBTFUL = "doubtful"
    # the loss has left the band
    LEFT = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the watched losses say, and the last of them that was looked at."""

    finding: Finding
    # None: there is none
    point: Point | None = None
    # what that one had to keep
    band: Band | None = None


def band_register(*, series: str, points: Sequence[Point], watch_steps: int) -> Band | None:
    """Return the band for the next ``watch_steps`` steps; None: too little is known for one."""
    known = [point for point in points if math.isfinite(point.loss)][-HISTORY_POINTS:]
    if len(known) < HISTORY_POINTS_MIN:
        return None
    slope = _slope(known)
    last_step = known[-1].step
    level = median(point.loss - slope * (point.step - last_step) for point in known)
    deviations = [abs(point.loss - level - slope * (point.step - last_step)) for point in known]
    line = Line(level=level, slope=slope, scatter=median(deviations), from_step=last_step)
    centre, half_width = _at(last_step + watch_steps, line=line)
    return Band(
        series=series,
        centre=centre,
        half_width=half_width,
        rule=RULE,
        points=len(known),
        line=line,
    )


def _at(step: int, *, line: Line) -> tuple[float, float]:
    """Return centre and half width at ``step``."""
    drift = line.slope * (step - line.from_step)
    centre = line.level + drift
    half_width = SCATTERS * _DEVIATION_TO_SIGMA * line.scatter + abs(drift)
    return round(centre, 6), round(max(half_width, SHARE_MIN * abs(centre)), 6)


def band_judge(*, band: Band, points: Sequence[Point], last_step: int) -> Judgement:
    """Return what ``points``, in the order of their steps, say of ``band``.

    Points after ``last_step``, the end of the watch, count only as long as those before leave the
    question open: a job that was out of sight may be far beyond by now, and tells its latest first.
    These have to keep what has become of the band along its line.
    """
    judgement = Judgement(finding=Finding.UNKNOWN)
    outside = 0
    for point in points:
        after = point.step > last_step
        if after and judgement.finding is Finding.INSIDE:
            break
        kept = band.taken_to(point.step) if after else band
        outside = 0 if kept.holds(point.loss) else outside + 1
        finding = _found(point, outside=outside)
        judgement = Judgement(finding=finding, point=point, band=kept)
        if finding is Finding.LEFT:
            break
    return judgement


def _found(point: Point, *, outside: int) -> Finding:
    """Return what ``point`` says, the last of ``outside`` points in a row outside."""
    if not math.isfinite(point.loss) or outside >= OUTSIDE_POINTS:
        return Finding.LEFT
    return Finding.DOUBTFUL if outside else Finding.INSIDE


def _slope(points: Sequence[Point]) -> float:
    """Return the median of the slopes between all pairs; loss per step."""
    slopes = [
        (later.loss - earlier.loss) / (later.step - earlier.step)
        for place, earlier in enumerate(points)
        for later in points[place + 1 :]
        if later.step != earlier.step
    ]
    return median(slopes) if slopes else 0.0

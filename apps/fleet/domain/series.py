"""Samples of a signal as a line on a chart, in which a gap stays a gap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

# points of one line; more are thinned out with the least and the greatest kept
POINTS_MAX: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a line."""

    # when it was read
    at: datetime
    # None: not known, the line is interrupted here
    value: float | None


def series_from(
    *, samples: Sequence[Point], gap_s: float, points_max: int = POINTS_MAX
) -> tuple[Point, ...]:
    """Return a line of at most about ``points_max`` points.

    Args:
        samples: what was read, in the order of time.
        gap_s: two samples further apart than this are not joined: a point without a value stands
            between them.
        points_max: from more points than this, only the least and the greatest of each stretch
            are kept, and one without a value if the stretch holds any.
    """
    points = list(_with_gaps(samples=samples, gap_s=gap_s))
    if len(points) <= points_max:
        return tuple(points)
    # a stretch leaves three points at most
    width = -(-len(points) * 3 // points_max)
    thinned: list[Point] = []
    for start in range(0, len(points), width):
        thinned += _extremes(points[start : start + width])
    return tuple(thinned)


def _with_gaps(*, samples: Sequence[Point], gap_s: float) -> Iterator[Point]:
    """Yield the samples, and a point without a value wherever too much time lies between two."""
    before: Point | None = None
    for sample in samples:
        if before is not None and (sample.at - before.at).total_seconds() > gap_s:
            yield Point(at=before.at + (sample.at - before.at) / 2, value=None)
        yield sample
        before = sample


def _extremes(stretch: Sequence[Point]) -> list[Point]:
    """Return the least, the greatest and one unknown of a stretch, in the order of time."""
    known = [point for point in stretch if point.value is not None]
    kept = [point for point in stretch if point.value is None][:1]
    if known:
        kept.append(min(known, key=lambda point: point.value or 0.0))
        greatest = max(known, key=lambda point: point.value or 0.0)
        if greatest is not kept[-1]:
            kept.append(greatest)
    return sorted(kept, key=lambda point: point.at)

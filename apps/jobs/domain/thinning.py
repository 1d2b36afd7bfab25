"""Fewer points of a curve, without hiding what is in it."""

from collections.abc import Sequence
from typing import Final

from apps.jobs.domain.facts import LossFacts

#: A bucket keeps its first, its last, its lowest and its highest point.
_KEPT_PER_BUCKET: Final = 4


def points_thin(points: Sequence[LossFacts], *, points_max: int) -> list[LossFacts]:
    """Return about ``points_max`` of a curve's points, in their order.

    Of each bucket the first, the last, the lowest and the highest loss are kept, and every point
    that is no number: peaks and gaps stay what they are. So does every validation loss, whatever
    the limit: these are few, and swaps are judged by them.
    """
    if len(points) <= points_max:
        return list(points)
    buckets = max(points_max // _KEPT_PER_BUCKET, 1)
    size = -(-len(points) // buckets)
    found = []
    for start in range(0, len(points), size):
        found += _kept(points[start : start + size])
    return found


def _kept(bucket: Sequence[LossFacts]) -> list[LossFacts]:
    numbers = [index for index, each in enumerate(bucket) if each.loss is not None]
    chosen = {0, len(bucket) - 1}
    if numbers:
        chosen.add(min(numbers, key=lambda index: bucket[index].loss or 0.0))
        chosen.add(max(numbers, key=lambda index: bucket[index].loss or 0.0))
    chosen |= {
        index
        for index, each in enumerate(bucket)
        if each.validation_loss is not None or each.loss is None
    }
    return [bucket[index] for index in sorted(chosen)]

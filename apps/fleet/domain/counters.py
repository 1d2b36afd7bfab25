"""Counters that only grow, and what it means when one does not.

A counter that is lower than before has begun anew (a driver was loaded again, a machine restarted):
that is a new epoch, and what was counted in between is not known. Taking the difference all the
same shows a restart as a burst of errors.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

# an increase is spread over at least so long, so that one error a second after the last report is
# not sixty a minute
WINDOW_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """What is kept of a counter between two reports."""

    # names the run of the agent it was read in
    boot: str
    # how often it has begun anew
    epoch: int
    # the latest value
    value: float
    # value and time that the increase is counted from: one to two windows ago
    base_value: float
    base_at: datetime
    # value and time that become the base when they are a window old
    mark_value: float
    mark_at: datetime


def counter_advance(
    *, previous: Counter | None, boot: str, value: float, at: datetime
) -> tuple[Counter, float | None]:
    """Return the counter after one more value, and its increase per minute.

    The increase is None when it is not known: at the first value of an epoch.
    """
    if previous is None or previous.boot != boot or value < previous.value:
        epoch = 0 if previous is None else previous.epoch + 1
        fresh = Counter(
            boot=boot,
            epoch=epoch,
            value=value,
            base_value=value,
            base_at=at,
            mark_value=value,
            mark_at=at,
        )
        return fresh, None
    rolls = (at - previous.mark_at).total_seconds() >= WINDOW_S
    base_value = previous.mark_value if rolls else previous.base_value
    base_at = previous.mark_at if rolls else previous.base_at
    after = Counter(
        boot=boot,
        epoch=previous.epoch,
        value=value,
        base_value=base_value,
        base_at=base_at,
        mark_value=value if rolls else previous.mark_value,
        mark_at=at if rolls else previous.mark_at,
    )
    elapsed_s = max((at - base_at).total_seconds(), WINDOW_S)
    return after, (value - base_value) * 60.0 / elapsed_s

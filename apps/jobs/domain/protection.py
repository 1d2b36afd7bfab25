"""How well a job is protected, as it is shown: the worst of its ranks, and unknown once stale."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from apps.jobs.domain.facts import UNKNOWN

#: A job that has not been heard of for so long may be anything.
STALE_AFTER: Final = timedelta(seconds=10)
#: An attached job of which its agent, which is heard, says nothing for so long has vanished.
VANISHED_AFTER: Final = timedelta(minutes=5)
# a rank that is certainly unprotected outweighs one of which nothing is known
_SHOWN_FIRST: Final = ("unprotected", UNKNOWN, "catching_up", "protected")


def protection_of(*, world_size: int, ranks: Iterable[str]) -> str:
    """Return the protection of a job from that of its ranks; ranks that are missing are unknown."""
    found = [*ranks]
    found += [UNKNOWN] * (world_size - len(found))
    return min(found, key=_SHOWN_FIRST.index, default=UNKNOWN)


def is_stale(*, reported_at: datetime | None, now: datetime) -> bool:
    """Whether what is known of a job is too old to be relied on."""
    return reported_at is None or now - reported_at > STALE_AFTER


def protection_shown(
    *, state: str, protection: str, reported_at: datetime | None, now: datetime
) -> str:
    """Return what a person is shown: unknown for what does not run or was not heard of lately."""
    if state != "running" or is_stale(reported_at=reported_at, now=now):
        return UNKNOWN
    return protection

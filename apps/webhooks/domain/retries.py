"""When a delivery that failed is tried again, and when no more."""

from datetime import timedelta
from typing import Final

#: After so many attempts a delivery is given up: the last one comes 12 hours after the first.
ATTEMPTS_MAX: Final = 14
#: After the first failure; doubled each time.
FIRST_WAIT: Final = timedelta(seconds=10)
#: Longest wait between two attempts.
WAIT_MAX: Final = timedelta(hours=3)


def wait_after(attempts: int) -> timedelta | None:
    """Return the wait after so many failed attempts, at least one; None: it is given up."""
    assert attempts >= 1, attempts
    if attempts >= ATTEMPTS_MAX:
        return None
    wait: timedelta = min(FIRST_WAIT * 2 ** (attempts - 1), WAIT_MAX)
    return wait

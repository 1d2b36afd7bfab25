"""Identifiers of everything that has a name in the API."""

import os
import threading
import uuid
from typing import Final

from apps.core import clock

# bits of an UUIDv7 below the time, without version and variant: they are chance
_CHANCE_BITS: Final = 74
_LOW_BITS: Final = 62
# chance in the step from an id to the next one of the same millisecond
_STEP_BYTES: Final = 4
_MS_PER_S: Final = 1000


class _Source:
    """Makes ids that rise, in this process, even within a millisecond."""

    def __init__(self) -> None:
        """Begin with the first id."""
        self._last = 0
        self._lock = threading.Lock()

    def next(self) -> int:
        """Return time and chance of the next id, as one number."""
        at_ms = int(clock.now().timestamp() * _MS_PER_S)
        chance = int.from_bytes(os.urandom(10)) & ((1 << _CHANCE_BITS) - 1)
        step = 1 + int.from_bytes(os.urandom(_STEP_BYTES))
        with self._lock:
            self._last = max(at_ms << _CHANCE_BITS | chance, self._last + step)
            return self._last


_SOURCE: Final = _Source()


def new_id() -> uuid.UUID:
    """Return a new UUIDv7: sorts by when it was made, and names nothing else."""
    number = _SOURCE.next()
    at_ms, chance = number >> _CHANCE_BITS, number & ((1 << _CHANCE_BITS) - 1)
    high, low = chance >> _LOW_BITS, chance & ((1 << _LOW_BITS) - 1)
    return uuid.UUID(int=at_ms << 80 | 0x7 << 76 | high << 64 | 0b10 << _LOW_BITS | low)

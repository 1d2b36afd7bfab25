"""Identifiers of everything that has a name in the API."""

import os
import uuid

from apps.core import clock

# bits of an UUIDv7 below the time: version, variant and chance
_CHANCE_BITS = 74
_MS_PER_S = 1000


def new_id() -> uuid.UUID:
    """Return a new UUIDv7: sorts by time, to the millisecond, and names nothing else."""
    at_ms = int(clock.now().timestamp() * _MS_PER_S)
    chance = int.from_bytes(os.urandom(10)) & ((1 << _CHANCE_BITS) - 1)
    high, low = chance >> 62, chance & ((1 << 62) - 1)
    return uuid.UUID(int=at_ms << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)

"""What travels over a live connection, as text, and in which order a client may expect it.

A client is told ``hello`` with the number of the last delta; from then on deltas come numbered one
by one. Whoever sees a number skipped has missed something, and fetches anew by REST. ``beat``
repeats the last number from time to time, so that a miss in a quiet hour is seen as well.
"""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID


def group_of(tenant_id: UUID) -> str:
    """Return the name of the group that hears what happens in a tenant."""
    return f"tenant.{tenant_id.hex}"


def hello_text(*, sequence: int) -> str:
    """Return the first message on a connection."""
    return _text({"type": "hello", "sequence": sequence})


def beat_text(*, sequence: int) -> str:
    """Return the message that says that nothing newer than ``sequence`` has happened."""
    return _text({"type": "beat", "sequence": sequence})


def delta_text(*, sequence: int, kind: str, payload: Mapping[str, Any]) -> str:
    """Return one delta."""
    return _text({"type": "delta", "sequence": sequence, "kind": kind, "payload": payload})


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))

"""Who else is told of news about a job: `apps.swaps`, where it is installed."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from uuid import UUID

from django.apps import apps

FactsArrived = Callable[..., object]


def facts_arrived(*, job_id: UUID, at: datetime, notable: bool) -> None:
    """Tell the swaps of a job that something new is known of it: more than steps, if notable."""
    tell = _swaps()
    if tell is not None:
        tell(job_id=job_id, at=at, notable=notable)


@cache
def _swaps() -> FactsArrived | None:
    if not apps.is_installed("apps.swaps") or find_spec("apps.swaps.services") is None:
        return None
    found: FactsArrived | None = getattr(
        import_module("apps.swaps.services"), "facts_arrived", None
    )
    return found

"""Who else is told of news about a job: `apps.swaps`, where it is installed."""

from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from uuid import UUID

from django.apps import apps

FactsArrived = Callable[..., object]


def facts_arrived(*, notable: Collection[UUID], stepped: Collection[UUID], at: datetime) -> None:
    """Tell swaps of which jobs something new is known, and of which nothing but steps."""
    tell = _swaps()
    if tell is not None and (notable or stepped):
        tell(notable=notable, stepped=stepped, at=at)


@cache
def _swaps() -> FactsArrived | None:
    if not apps.is_installed("apps.swaps") or find_spec("apps.swaps.services") is None:
        return None
    found: FactsArrived | None = getattr(
        import_module("apps.swaps.services"), "facts_arrived", None
    )
    return found

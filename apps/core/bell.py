"""Says that something waits in the outbox, so that the relay need not look all the time.

What rings is named by the setting ``OUTBOX_BELL``, a function without arguments that neither waits
long nor raises. Without it the relay finds messages when it looks next.
"""

from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string


def ring() -> None:
    """Call whatever rings, if there is something."""
    path = getattr(settings, "OUTBOX_BELL", "")
    if path:
        _bell(path)()


@cache
def _bell(path: str) -> Callable[[], None]:
    found: Callable[[], None] = import_string(path)
    return found

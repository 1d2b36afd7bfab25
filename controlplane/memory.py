"""Garbage collection in processes that answer requests."""

import gc

from django.urls import get_resolver


def settle() -> None:
    """Load what the first request would load, and keep it out of garbage collections from now on.

    A full collection looks at every object there is: a tenth of a second for what Django and the
    apps consist of, which never becomes garbage, in the middle of somebody's request.
    """
    assert get_resolver().url_patterns, "loads the addresses, and with them every view"
    gc.collect()
    gc.freeze()

"""Waiting for something that another process does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

#: Between two looks, s.
LOOK_EVERY_S = 0.02

Found = TypeVar("Found")


def wait_until(
    find: Callable[[], Found | None], what: str, *, wait_s: float, every_s: float = LOOK_EVERY_S
) -> Found:
    """Return what ``find`` returns as soon as that is true.

    Raises:
        TimeoutError: it did not become so in time; the text names what was waited for.

    """
    deadline_s = time.monotonic() + wait_s
    while not (found := find()):
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"waited {wait_s:g} s for {what}, which did not come")
        time.sleep(every_s)
    return found

"""The threads that the runtime has started in a trainer, at the end of the process.

They are daemons, so that one that hangs keeps nobody from ending. But the interpreter ends with
them: one that is in an operation of torch at that moment is torn out of C++ code that must not be
left by an exception, and the process aborts (signal 6). So they are waited for before.
"""

from __future__ import annotations

import threading
import time

import structlog

#: What the name of each begins with.
PREFIX = "hotswap-"

_log = structlog.get_logger()


def wait_ended(*, timeout_s: float) -> None:
    """Wait for all of them, which have been told to end, at most ``timeout_s`` together."""
    deadline_s = time.monotonic() + timeout_s
    for thread in _living():
        thread.join(max(deadline_s - time.monotonic(), 0))
    left = [thread.name for thread in _living()]
    if left:
        _log.warning("threads_left", names=left, timeout_s=timeout_s)


def _living() -> list[threading.Thread]:
    mine = threading.current_thread()
    return [
        each for each in threading.enumerate() if each.name.startswith(PREFIX) and each is not mine
    ]

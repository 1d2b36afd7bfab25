"""Processes that outlive those who started them: an agent that ends leaves its jobs running."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path


def end_leftovers(variable: str, value: str) -> list[int]:
    """Kill every process that has a variable of this value in its environment; return which."""
    wanted = f"{variable}={value}".encode()
    ended = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        with suppress(OSError):  # it has ended meanwhile, or is somebody else's
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)
                ended.append(int(process.name))
    return ended

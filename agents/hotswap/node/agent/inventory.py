"""What the node consists of."""

import os
import platform
import socket
from importlib.metadata import PackageNotFoundError, version

from hotswap.node.agent.gpus import Gpus
from hotswap.wire.plane import Inventory


def take_inventory(gpus: Gpus | None) -> Inventory:
    """Look at this machine; ``gpus`` None: nothing can tell whether it has any."""
    return Inventory(
        hostname=socket.gethostname(),
        cpus=len(os.sched_getaffinity(0)),
        memory_nbytes=_memory_nbytes(),
        devices=None if gpus is None else gpus.devices(),
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        version=hotswap_version(),
    )


def hotswap_version() -> str:
    """Return the version of this package; of its sources, without being installed, ``unknown``."""
    try:
        return version("hotswap")
    except PackageNotFoundError:
        return "unknown"


def _memory_nbytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return None

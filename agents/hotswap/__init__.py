"""Hotswap keeps a distributed training job going while its failing nodes are replaced.

What a training script needs is here; it is imported when it is first asked for, so that the
coordinator and the command line do without torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hotswap.runtime.capsule.optimizers import register_elementwise
    from hotswap.runtime.data.loader import Loader
    from hotswap.runtime.join import join
    from hotswap.runtime.run import Run
    from hotswap.runtime.step import Step

__all__ = ["Loader", "Run", "Step", "join", "register_elementwise"]

_HOMES: Final = {
    "Loader": "hotswap.runtime.data.loader",
    "Run": "hotswap.runtime.run",
    "Step": "hotswap.runtime.step",
    "join": "hotswap.runtime.join",
    "register_elementwise": "hotswap.runtime.capsule.optimizers",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hotswap' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

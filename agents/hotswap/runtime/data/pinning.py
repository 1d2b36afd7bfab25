"""Page-locked copies of batches, from which an accelerator copies without waiting."""

from collections.abc import Mapping
from typing import Any

import torch

from hotswap.runtime.data.reader import Reply


def pinned(reply: Reply) -> Reply:
    """Copy a reply's tensors to page-locked memory; as it is on a machine that has no use for it.

    Tensors are found in mappings, lists and tuples, named ones too, and in objects that have a
    method ``pin_memory``.
    """
    if not torch.accelerator.is_available():
        return reply
    return reply._replace(batch=_pinned(reply.batch))


def _pinned(value: Any) -> Any:  # noqa: ANN401 - the script's own types
    """Copy one value, and what it contains."""
    if hasattr(value, "pin_memory"):
        return value.pin_memory()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_pinned(item) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_pinned(item) for item in value)
    if isinstance(value, Mapping):
        return {key: _pinned(item) for key, item in value.items()}
    return value

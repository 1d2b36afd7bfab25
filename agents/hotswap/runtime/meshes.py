"""Telling a device mesh that does not fit the job from other errors of a script."""

from __future__ import annotations

import traceback
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch.distributed import device_mesh

from hotswap.errors import MeshDoesNotFit

if TYPE_CHECKING:
    from types import TracebackType

_TORCH = Path(torch.__file__).parent


def misfit(error: Exception) -> MeshDoesNotFit | None:
    """Return what a script has to be told whose mesh does not fit; None: it failed by another way.

    torch refuses a mesh with too many places when it is made, and lets one with too few pass: the
    ranks without a place fail later, by an index out of range. Either error comes from a method of
    the mesh, which is asked here.
    """
    mesh = _mesh_that_raised(error.__traceback__)
    if mesh is None or not dist.is_initialized():
        return None
    places, ranks = mesh.size(), dist.get_world_size()
    if places > ranks or (places < ranks and mesh.get_coordinate() is None):
        where = _place_in_script(error.__traceback__)
        return MeshDoesNotFit(places=places, ranks=ranks, where=where)
    return None


def _mesh_that_raised(trace: TracebackType | None) -> device_mesh.DeviceMesh | None:
    """Return the mesh in whose method the error was raised."""
    for frame, _ in reversed(list(traceback.walk_tb(trace))):
        if frame.f_code.co_filename != device_mesh.__file__:
            return None
        mesh = frame.f_locals.get("self")
        if isinstance(mesh, device_mesh.DeviceMesh):
            return mesh
    return None


def _place_in_script(trace: TracebackType | None) -> str:
    """Return file and line of the call that led into torch."""
    outside = takewhile(
        lambda call: _TORCH not in Path(call[0].f_code.co_filename).parents,
        traceback.walk_tb(trace),
    )
    *_, (frame, line) = outside
    return f"{frame.f_code.co_filename}:{line}"

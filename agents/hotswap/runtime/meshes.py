"""Device meshes: those that do not fit the job, and those of a script that runs once more."""

from __future__ import annotations

import functools
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
_MESH_INIT = device_mesh.DeviceMesh.__init__


def set_apart(run: int) -> None:
    """Have every mesh that is made from now on differ from those of earlier runs of the script.

    torch keeps what it has worked out for a mesh (how an operator's result is laid out and reduced,
    in caches of several modules and in C++), and finds it again by any mesh that compares equal.
    When a script runs again for another rank, its meshes do compare equal to the former ones, whose
    groups are gone, or go by the names that other groups have now.

    ``run`` counts the runs of the script, from 1. It takes the place of the thread that torch's own
    tests tell meshes apart by; no thread has a negative number.
    """

    @functools.wraps(_MESH_INIT)
    def made(self: device_mesh.DeviceMesh, *args: object, **kwargs: object) -> None:
        _MESH_INIT(self, *args, **kwargs)  # type: ignore[arg-type]  # passed on as they are
        self._thread_id = -run
        self._hash = None

    device_mesh.DeviceMesh.__init__ = made  # type: ignore[method-assign]  # for the whole process


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

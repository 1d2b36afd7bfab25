"""Notices writes to units that the optimizer did not make, which a mirror cannot replay."""

from collections.abc import Sequence

from torch import Tensor
from torch.distributed.tensor import DTensor

from hotswap.runtime.capsule.units import Unit

# object and version counters of a unit's tensors
_Version = list[int]


class WriteWatch:
    """Compares the version counters of units with those after the last step of the optimizer.

    Notices what is written through torch's operators on the tensor itself, such as clamping a
    weight or loading a state dict; not what is written through ``.data`` or by foreign kernels.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        """Begin at the next `mark`."""
        self._units = units
        self._marked: list[_Version] | None = None

    def mark(self) -> None:
        """Take the units as they are now for what the mirror holds."""
        self._marked = [_version(unit) for unit in self._units]

    def touched(self) -> tuple[str, ...]:
        """Return the names of units that were written since `mark`; none before the first."""
        if self._marked is None:
            return ()
        return tuple(
            unit.name
            for unit, marked in zip(self._units, self._marked, strict=True)
            if _version(unit) != marked
        )


def _version(unit: Unit) -> _Version:
    found: _Version = []
    for tensor in (unit.parameter, *unit.state().values()):
        if isinstance(tensor, Tensor):
            found += (id(tensor), tensor._version)  # noqa: SLF001 - torch's documented counter
        if isinstance(tensor, DTensor):
            # a write to a distributed tensor counts outside, one to its local part inside
            found.append(tensor._local_tensor._version)  # noqa: SLF001
    return found

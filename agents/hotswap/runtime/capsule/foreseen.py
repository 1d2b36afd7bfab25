"""Loading a state that was foreseen: all but its bytes is decided before the moment that counts."""

from collections.abc import Mapping, Sequence
from typing import Self

import torch
from torch import Tensor

from hotswap.runtime.capsule.units import Unit, UnitSpec


class ForeseenLoad:
    """Where the tensors of certain units go, found out once; of use until the next step."""

    def __init__(self, specs: Sequence[UnitSpec], targets: Mapping[str, Tensor]) -> None:
        """Remember live tensors by flat name; see `of`."""
        self._specs = _by_name(specs)
        self._targets = targets

    @classmethod
    def of(cls, specs: Sequence[UnitSpec], *, units: Sequence[Unit]) -> Self | None:
        """Foresee a load of ``specs`` into ``units``; None where it takes more than a copy.

        A copy is enough where units and specs are the same, in any order, and all state is
        tensors. What `prepare_unit` has made fits.
        """
        present = [unit.spec() for unit in units]
        if _by_name(present) != _by_name(specs):
            return None
        if any(entry.kind != "tensor" for spec in present for entry in spec.state):
            return None
        targets = {name: live for unit in units for name, live in unit.tensors().items()}
        return cls(specs, targets)

    def fits(self, specs: Sequence[UnitSpec], tensors: Mapping[str, Tensor]) -> bool:
        """Whether ``tensors`` of ``specs`` are what was foreseen."""
        return _by_name(specs) == self._specs and all(
            (tensor := tensors.get(name)) is not None
            and tensor.dtype == target.dtype
            and tensor.shape == target.shape
            for name, target in self._targets.items()
        )

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Copy ``tensors``, which fit, to where they go."""
        with torch.no_grad():
            for name, target in self._targets.items():
                target.copy_(tensors[name])


def _by_name(specs: Sequence[UnitSpec]) -> dict[str, UnitSpec]:
    return {spec.name: spec for spec in specs}

"""Writing a unit's tensors into a parameter and its optimizer state, live or mirrored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor
from torch.optim import Optimizer

from hotswap.runtime.capsule.optimizers import build_optimizer, optimizer_spec_of
from hotswap.runtime.capsule.tensors import (
    dtype_name,
    dtype_named,
    in_memory_order,
    local,
)
from hotswap.runtime.capsule.units import StateEntry, UnitSpec, state_name

_HOST: Final = torch.device("cpu")


def misfits(spec: UnitSpec, tensors: Mapping[str, Tensor]) -> list[str]:
    """Return the names of the unit's tensors that ``tensors`` lacks or holds in another form."""
    wanted = [(spec.name, spec.dtype, spec.memory_shape)]
    wanted += [
        (state_name(spec.name, entry.key), entry.dtype, entry.shape)
        for entry in spec.state
        if entry.kind != "none"
    ]
    return [
        name
        for name, dtype, shape in wanted
        if name not in tensors or not _fits(tensors[name], dtype=dtype, shape=shape)
    ]


def prepare_unit(
    spec: UnitSpec,
    *,
    parameter: Tensor,
    optimizer: Optimizer,
    devices: Mapping[str, torch.device] | None = None,
) -> None:
    """Create the optimizer state that `write_unit` will write into, so that it only copies.

    Creating a distributed tensor takes longer than copying a small one.
    """
    held = optimizer.state[parameter]
    for entry in spec.state:
        if entry.kind == "tensor":
            place = _Place(
                parameter=parameter,
                order=tuple(spec.order),
                scalar_device=(devices or {}).get(entry.key, _HOST),
            )
            present = held.get(entry.key)
            if not isinstance(present, Tensor) or not _takes(present, entry, place):
                held[entry.key] = _created(entry, place)


def write_unit(
    spec: UnitSpec,
    tensors: Mapping[str, Tensor],
    *,
    parameter: Tensor,
    optimizer: Optimizer,
    order: Sequence[int],
    devices: Mapping[str, torch.device] | None = None,
) -> None:
    """Copy ``tensors`` into ``parameter`` and into its state in ``optimizer``.

    The parameter is written in place. So is state that exists and fits; other state is created as
    the optimizer would have: what has the parameter's shape is distributed as the parameter is,
    the rest is on the device that ``devices`` names for its key, by default in host memory. State
    that ``spec`` does not name is dropped. ``order`` is the memory order of ``parameter``. The
    tensors must fit, see `misfits`.
    """
    with torch.no_grad():
        in_memory_order(local(parameter), order).copy_(tensors[spec.name])
        held = optimizer.state.pop(parameter, {})
        state = {}
        for entry in spec.state:
            tensor = tensors.get(state_name(spec.name, entry.key))
            place = _Place(
                parameter=parameter,
                order=tuple(order),
                scalar_device=(devices or {}).get(entry.key, _HOST),
            )
            state[entry.key] = _value(entry, tensor, held=held.get(entry.key), place=place)
        # No entry at all tells the optimizer to create the state with the first gradient.
        if state:
            optimizer.state[parameter] = state


def state_devices(optimizer: Optimizer) -> list[dict[str, torch.device]]:
    """Return, for each group, on which device the optimizer keeps the entries of its state.

    Most optimizers keep ``step`` in host memory wherever the parameters are, some do not: a step
    on a few zeros of the parameters' device and dtype shows it.
    """
    groups = []
    for group in optimizer.param_groups:
        members = [local(parameter) for parameter in group["params"][:1]]
        groups.append([torch.zeros(2, dtype=m.dtype, device=m.device) for m in members])
    device = next((member.device for members in groups for member in members), _HOST)
    spec = optimizer_spec_of(optimizer)
    trial = build_optimizer(spec, groups, device=device)
    for member in (member for members in groups for member in members):
        member.grad = torch.zeros_like(member)
    trial.step()
    return [
        {
            key: value.device
            for member in members
            for key, value in trial.state.get(member, {}).items()
            if isinstance(value, Tensor)
        }
        for members in groups
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where an entry of a parameter's state belongs."""

    parameter: Tensor
    # memory order of the parameter
    order: tuple[int, ...]
    # of an entry that has not the parameter's shape
    scalar_device: torch.device

    def is_distributed(self, entry: StateEntry) -> bool:
        return entry.parameter_shaped and isinstance(self.parameter, DTensor)

    def device(self, entry: StateEntry) -> torch.device:
        return local(self.parameter).device if entry.parameter_shaped else self.scalar_device

    def order_of(self, entry: StateEntry) -> tuple[int, ...]:
        return self.order if entry.parameter_shaped else tuple(range(len(entry.shape)))


def _value(entry: StateEntry, tensor: Tensor | None, *, held: object, place: _Place) -> object:
    if entry.kind == "none" or tensor is None:
        return None
    if entry.kind != "tensor":
        return tensor.item()
    if not isinstance(held, Tensor) or not _takes(held, entry, place):
        held = _created(entry, place)
    in_memory_order(local(held), place.order_of(entry)).copy_(tensor)
    return held


def _takes(held: Tensor, entry: StateEntry, place: _Place) -> bool:
    plain = local(held)
    order = place.order_of(entry)
    if isinstance(held, DTensor) != place.is_distributed(entry) or plain.dim() != len(order):
        return False
    ordered = in_memory_order(plain, order)
    return (
        plain.device == place.device(entry)
        and _fits(ordered, dtype=entry.dtype, shape=entry.shape)
        and ordered.is_contiguous()
    )


def _created(entry: StateEntry, place: _Place) -> Tensor:
    dtype = dtype_named(entry.dtype)
    if place.is_distributed(entry):
        return torch.zeros_like(place.parameter, dtype=dtype)
    order = place.order_of(entry)
    ordered = torch.empty(entry.shape, dtype=dtype, device=place.device(entry))
    inverse = sorted(range(len(order)), key=lambda position: order[position])
    return in_memory_order(ordered, inverse)


def _fits(tensor: Tensor, *, dtype: str, shape: Iterable[int]) -> bool:
    return dtype_name(tensor.dtype) == dtype and tuple(tensor.shape) == tuple(shape)

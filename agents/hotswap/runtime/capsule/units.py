"""Units: a parameter of the optimizer with its optimizer state, as plain local tensors.

A unit is what is copied to a mirror at one version. Its tensors have flat names: the parameter's
own, and ``parameter/key`` for each entry of its optimizer state. They are in memory order (see
`hotswap.runtime.capsule.tensors`), contiguous, and share the memory of the live ones.
"""

from typing import Final, Literal

import msgspec
import torch
from torch import Tensor, nn
from torch.distributed.tensor import DTensor
from torch.optim import Optimizer

from hotswap.errors import NotProtectable
from hotswap.runtime.capsule.tensors import (
    dtype_name,
    in_memory_order,
    local,
    memory_order,
    sharded_like,
)

Kind = Literal["tensor", "int", "float", "bool", "none"]

# How a plain number of the optimizer state travels as a tensor of one element.
_DTYPE_OF_KIND: Final = {"int": torch.int64, "float": torch.float64, "bool": torch.bool}


class StateEntry(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One entry of a parameter's optimizer state."""

    # key in ``optimizer.state[parameter]``
    key: str
    # what the optimizer holds; numbers travel as tensors of one element, None as no tensor
    kind: Kind
    dtype: str
    # as it travels: in memory order where it is ``parameter_shaped``
    shape: tuple[int, ...]
    # one element for each of the parameter's, laid out as these are
    parameter_shaped: bool


class UnitSpec(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What a unit is, without its bytes."""

    # fully qualified name of the parameter
    name: str
    # index of its group in the optimizer
    group: int
    dtype: str
    # this rank's part, dimensions as the model has them
    shape: tuple[int, ...]
    # dimensions from slowest to fastest in memory
    order: tuple[int, ...]
    # the optimizer state as it is now: many optimizers create it with the first gradient
    state: tuple[StateEntry, ...]

    @property
    def memory_shape(self) -> tuple[int, ...]:
        """Shape of the parameter in memory order."""
        return tuple(self.shape[dimension] for dimension in self.order)

    def tensor_names(self) -> tuple[str, ...]:
        """Return the names of the unit's tensors: the parameter first."""
        keys = [entry.key for entry in self.state if entry.kind != "none"]
        return (self.name, *(state_name(self.name, key) for key in keys))


class Unit:
    """A live parameter of the optimizer, its gradient and its optimizer state."""

    __slots__ = ("_known_order", "group", "name", "optimizer", "parameter")

    def __init__(self, *, name: str, group: int, parameter: Tensor, optimizer: Optimizer) -> None:
        """Refer to ``parameter`` of ``optimizer``; nothing is copied."""
        self.name = name
        self.group = group
        self.parameter = parameter
        self.optimizer = optimizer
        self._known_order: tuple[int, ...] | None = None

    def spec(self) -> UnitSpec:
        """Return what the unit is now, with the optimizer state that exists now.

        Raises `NotProtectable` for state that is neither a number nor a dense tensor.
        """
        plain = local(self.parameter)
        order, shape = self._order(plain), plain.shape
        return UnitSpec(
            name=self.name,
            group=self.group,
            dtype=dtype_name(plain.dtype),
            shape=tuple(shape),
            order=order,
            state=tuple(
                self._entry(key, value, order=order, shape=shape)
                for key, value in self.state().items()
            ),
        )

    def state(self) -> dict[str, object]:
        """Return the optimizer's own state of the parameter, live; empty before it exists."""
        # `optimizer.state` is a defaultdict: plain indexing would create an empty entry, from
        # which some optimizers conclude that the state has been set up.
        found: dict[str, object] = self.optimizer.state.get(self.parameter, {})
        return found

    def tensors(self) -> dict[str, Tensor]:
        """Return the unit's tensors by flat name; numbers as new tensors of one element."""
        plain = local(self.parameter)
        order, shape = self._order(plain), plain.shape
        named = {self.name: in_memory_order(plain, order)}
        for key, value in self.state().items():
            if value is not None:
                tensor = self._tensor(key, value, order=order, shape=shape)
                named[state_name(self.name, key)] = tensor
        return named

    def gradient(self) -> Tensor | None:
        """Return the local gradient, contiguous in memory order; None where there is none.

        A gradient whose memory is not laid out as its parameter's is laid out anew and put in
        place of the old one, so that owner and mirror compute on equal layouts.

        Raises `NotProtectable` for a sparse gradient or one of another dtype.
        """
        gradient = self.parameter.grad
        if gradient is None:
            return None
        plain = local(gradient)
        self._check_gradient(plain)
        # The parameter's order does not change while it is trained; asking it costs time.
        if self._known_order is None:
            self._known_order = self._order(local(self.parameter))
        order = self._known_order
        ordered = in_memory_order(plain, order)
        if not ordered.is_contiguous():
            ordered = ordered.contiguous()
            self._set_gradient(ordered, order=order, like=gradient)
        return ordered

    def takes_gradient(self, ordered: Tensor) -> bool:
        """Return whether a plain tensor in memory order has dtype and shape of the gradient."""
        plain = local(self.parameter)
        shape = in_memory_order(plain, self._order(plain)).shape
        return ordered.dtype == plain.dtype and ordered.shape == shape

    def put_gradient(self, ordered: Tensor | None) -> None:
        """Make a copy of ``ordered``, plain and in memory order, the parameter's gradient."""
        if ordered is None:
            self.parameter.grad = None
            return
        plain = local(self.parameter)
        copied = ordered.to(plain.device, copy=True)
        self._set_gradient(copied, order=self._order(plain), like=self.parameter)

    def _set_gradient(self, ordered: Tensor, *, order: tuple[int, ...], like: Tensor) -> None:
        inverse = sorted(range(len(order)), key=lambda position: order[position])
        laid_out = in_memory_order(ordered, inverse)
        if isinstance(like, DTensor):
            laid_out = sharded_like(like, shard=laid_out)
        self.parameter.grad = laid_out

    def _check_gradient(self, plain: Tensor) -> None:
        if plain.layout is not torch.strided:
            message = (
                f"the gradient of {self.name!r} has layout {plain.layout}: a mirror replays dense "
                "gradients; build the embedding with sparse=False"
            )
            raise NotProtectable(message)
        if plain.dtype != self.parameter.dtype:
            message = (
                f"the gradient of {self.name!r} is {plain.dtype}, the parameter "
                f"{self.parameter.dtype}: let both have the same dtype"
            )
            raise NotProtectable(message)

    def _order(self, plain: Tensor) -> tuple[int, ...]:
        order = memory_order(plain)
        if order is None:
            message = (
                f"parameter {self.name!r} has gaps or overlaps in memory (strides "
                f"{plain.stride()}): make it contiguous before you build the optimizer"
            )
            raise NotProtectable(message)
        return order

    def _entry(
        self, key: str, value: object, *, order: tuple[int, ...], shape: torch.Size
    ) -> StateEntry:
        # None travels as no tensor; the stand-in only fills the fields that nobody reads then.
        tensor = self._tensor(key, 0 if value is None else value, order=order, shape=shape)
        parameter_shaped = isinstance(value, Tensor) and local(value).shape == shape
        if isinstance(value, DTensor) and not parameter_shaped:
            message = (
                f"optimizer state {key!r} of {self.name!r} is distributed otherwise than its "
                "parameter: only torch.zeros_like(parameter) and plain tensors can be mirrored"
            )
            raise NotProtectable(message)
        return StateEntry(
            key=key,
            kind=self._kind(key, value),
            dtype=dtype_name(tensor.dtype),
            shape=tuple(tensor.shape),
            parameter_shaped=parameter_shaped,
        )

    def _kind(self, key: str, value: object) -> Kind:
        if value is None:
            return "none"
        if isinstance(value, Tensor):
            return "tensor"
        if isinstance(value, bool):
            return "bool"
        if isinstance(value, int):
            return "int"
        if isinstance(value, float):
            return "float"
        message = (
            f"optimizer state {key!r} of {self.name!r} is a {type(value).__name__}: only tensors "
            "and numbers can be mirrored; keep anything else out of optimizer.state"
        )
        raise NotProtectable(message)

    def _tensor(
        self, key: str, value: object, *, order: tuple[int, ...], shape: torch.Size
    ) -> Tensor:
        kind = self._kind(key, value)
        if not isinstance(value, Tensor):
            return torch.tensor(value, dtype=_DTYPE_OF_KIND[kind])
        plain = local(value)
        if plain.shape == shape:
            plain = in_memory_order(plain, order)
        if plain.layout is not torch.strided or not plain.is_contiguous():
            message = (
                f"optimizer state {key!r} of {self.name!r} is not laid out in memory as its "
                "parameter is: create it by torch.zeros_like(parameter)"
            )
            raise NotProtectable(message)
        return plain


def state_name(parameter: str, key: str) -> str:
    """Return the flat name of the entry ``key`` of a parameter's optimizer state."""
    return f"{parameter}/{key}"


def units_of(model: nn.Module, optimizer: Optimizer) -> tuple[Unit, ...]:
    """Return the units of ``optimizer``, group by group, in the optimizer's own order.

    Raises `NotProtectable` when the optimizer holds a parameter that ``model`` does not have.
    """
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    units = []
    for index, group in enumerate(optimizer.param_groups):
        for position, parameter in enumerate(group["params"]):
            name = names.get(id(parameter))
            if name is None:
                message = (
                    f"parameter {position} of optimizer group {index} (shape "
                    f"{tuple(parameter.shape)}) is not a parameter of the model: pass the model "
                    "that the optimizer was built for, shard it before you build the optimizer, "
                    "and call protect before the first forward"
                )
                raise NotProtectable(message)
            units.append(Unit(name=name, group=index, parameter=parameter, optimizer=optimizer))
    return tuple(units)

"""Hyperparameters of an optimizer's groups, as values that travel exactly."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import torch
from torch import Tensor
from torch.optim import Optimizer

from hotswap.errors import NotProtectable
from hotswap.runtime.capsule.tensors import dtype_name, dtype_named


class TensorScalar(msgspec.Struct, frozen=True, kw_only=True, tag="tensor"):
    """A hyperparameter that is a tensor of one element, such as a learning rate on the device.

    It stays a tensor on the mirror, because a kernel rounds a tensor's value otherwise than a
    Python number's.
    """

    value: bool | int | float
    dtype: str
    shape: tuple[int, ...]


Scalar = bool | int | float | str | TensorScalar | None
Value = Scalar | tuple[Scalar, ...]

#: How a group is computed, fixed when the state is protected; all else may change every step.
IMPLEMENTATION_FLAGS: Final = ("foreach", "fused", "capturable", "differentiable")

# The parameters themselves are units, and their names are those of the model.
_NOT_HYPERPARAMETERS: Final = ("params", "param_names")


class Hyperparameters(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What the optimizer's next step depends on besides state and gradients."""

    # for each group its entries, in order, without the parameters
    groups: tuple[dict[str, Value], ...]
    # intra-op threads: where a kernel splits its work decides how single elements are rounded
    threads: int


def hyperparameters_of(optimizer: Optimizer) -> Hyperparameters:
    """Return the hyperparameters of ``optimizer`` as of now.

    Raises `NotProtectable` for a value that is neither a scalar nor a tuple of scalars.
    """
    groups = tuple(
        plain_values(group, path=f"optimizer.param_groups[{index}]")
        for index, group in enumerate(optimizer.param_groups)
    )
    return Hyperparameters(groups=groups, threads=torch.get_num_threads())


def plain_values(group: Mapping[str, Any], *, path: str) -> dict[str, Value]:
    """Return the entries of ``group`` without its parameters; ``path`` names it in errors.

    Raises `NotProtectable` for a value that is neither a scalar nor a tuple of scalars.
    """
    return {
        key: _value(value, path=f"{path}[{key!r}]")
        for key, value in group.items()
        if key not in _NOT_HYPERPARAMETERS
    }


def live_value(value: Value, *, device: torch.device) -> object:
    """Return ``value`` as an optimizer takes it; a `TensorScalar` as a new tensor on ``device``."""
    if isinstance(value, TensorScalar):
        return torch.full(value.shape, value.value, dtype=dtype_named(value.dtype), device=device)
    if isinstance(value, tuple):
        return tuple(live_value(item, device=device) for item in value)
    return value


def _value(value: object, *, path: str) -> Value:
    if isinstance(value, tuple | list):
        return tuple(_scalar(item, path=f"{path}[{i}]") for i, item in enumerate(value))
    return _scalar(value, path=path)


def _scalar(value: object, *, path: str) -> Scalar:
    if value is None or type(value) in (bool, int, str):
        return value  # type: ignore[return-value]  # the type is one of these
    if isinstance(value, float):
        # numpy's float64 is a float, and what a schedule written with numpy leaves behind
        return float(value)
    if isinstance(value, Tensor) and value.numel() == 1 and not value.is_complex():
        return TensorScalar(
            value=value.item(), dtype=dtype_name(value.dtype), shape=tuple(value.shape)
        )
    message = (
        f"{path} is a {type(value).__name__}: a mirror is sent hyperparameters as plain numbers, "
        "strings, tensors of one element, or tuples of these"
    )
    raise NotProtectable(message)

"""Which optimizers a mirror can replay, and how one is described and built again.

A mirror holds a rank's own shard and nothing else, and replays units that were copied at
different steps. So an optimizer qualifies when it is *elementwise* (what becomes of an element
depends on that element, its gradient, its state and the hyperparameters), deterministic, and
keeps its state in ``optimizer.state[parameter]`` and ``optimizer.param_groups`` alone.
"""

import inspect
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec
import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.optim.optimizer import _default_to_fused_or_foreach

from hotswap.errors import NotProtectable
from hotswap.runtime.capsule.hyperparameters import (
    IMPLEMENTATION_FLAGS,
    Value,
    live_value,
    plain_values,
)
from hotswap.runtime.capsule.numerics import Numerics, numerics_of

_ELEMENTWISE: Final = (
    torch.optim.Adadelta,
    torch.optim.Adagrad,
    torch.optim.Adam,
    torch.optim.Adamax,
    torch.optim.AdamW,
    torch.optim.ASGD,
    torch.optim.NAdam,
    torch.optim.RAdam,
    torch.optim.RMSprop,
    torch.optim.Rprop,
    torch.optim.SGD,
)

#: Optimizers of torch that cannot be replayed shard by shard, and why.
REFUSED: Final[dict[str, str]] = {
    "Adafactor": "factors the second moment over whole rows and columns, across the shards",
    "LBFGS": "evaluates the closure several times a step and searches along whole vectors",
    "Muon": "orthogonalises whole matrices, across the shards",
    "SparseAdam": "takes sparse gradients",
}


class OptimizerSpec(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """All that a mirror needs to build the owner's optimizer over plain tensors."""

    # registered name of the class
    kind: str
    # the defaults, which the constructor of the optimizer was given
    defaults: dict[str, Value]
    # entries of each group as of now, without the parameters
    groups: tuple[dict[str, Value], ...]
    # for each group the implementation that the owner computes with, whatever the mirror's default
    flags: tuple[dict[str, bool], ...]
    # what else decides the bits
    numerics: Numerics


_registered: dict[str, type[Optimizer]] = {
    f"torch.optim.{optimizer_class.__name__}": optimizer_class for optimizer_class in _ELEMENTWISE
}

_OptimizerClass = TypeVar("_OptimizerClass", bound=type[Optimizer])


def register_elementwise(optimizer_class: _OptimizerClass) -> _OptimizerClass:
    """Allow an optimizer of your own to be protected, and return it; usable as a decorator.

    It must be elementwise and deterministic, keep its state in ``self.state[parameter]`` (tensors
    and numbers) and in ``self.param_groups``, and take its groups as its first argument as the
    optimizers of torch do; this is put to the proof when it is protected. Register it where every
    process of the job comes by before ``hotswap.join()``: owner and mirror both need the class.
    """
    _registered[_name_of(optimizer_class)] = optimizer_class
    return optimizer_class


def is_builtin(kind: str) -> bool:
    """Return whether ``kind`` is an optimizer of torch, which needs no proof."""
    return _registered.get(kind) in _ELEMENTWISE


def kind_of(optimizer: Optimizer) -> str:
    """Return the registered name of the class of ``optimizer``.

    Raises `NotProtectable` when the class is not known to be elementwise.
    """
    optimizer_class = type(optimizer)
    for kind, known in _registered.items():
        if known is optimizer_class:
            return kind
    why = REFUSED.get(optimizer_class.__name__)
    if why is not None and optimizer_class.__module__.startswith("torch."):
        message = (
            f"{optimizer_class.__name__} cannot be protected: it {why}, and a mirror holds one "
            "shard and dense gradients only. Take an elementwise optimizer, such as AdamW or SGD"
        )
        raise NotProtectable(message)
    message = (
        f"{_name_of(optimizer_class)} is not known to be elementwise. If what becomes of an "
        "element depends only on the element, its gradient and its state (no norm over the "
        "tensor, no random numbers), call hotswap.register_elementwise with the class before "
        "hotswap.join(); a subclass has to be registered itself"
    )
    raise NotProtectable(message)


def optimizer_spec_of(optimizer: Optimizer) -> OptimizerSpec:
    """Return the description of ``optimizer`` as of now.

    Raises `NotProtectable` when the class or a hyperparameter cannot be mirrored.
    """
    return OptimizerSpec(
        kind=kind_of(optimizer),
        defaults=plain_values(optimizer.defaults, path="optimizer.defaults"),
        groups=tuple(
            plain_values(group, path=f"optimizer.param_groups[{index}]")
            for index, group in enumerate(optimizer.param_groups)
        ),
        flags=tuple(_resolved_flags(group) for group in optimizer.param_groups),
        numerics=numerics_of(_device_of(optimizer)),
    )


def build_optimizer(
    spec: OptimizerSpec, parameters: Sequence[Sequence[Tensor]], *, device: torch.device
) -> Optimizer:
    """Return a new optimizer as ``spec`` describes it, over one list of parameters per group.

    Raises `NotProtectable` when this process does not know the class.
    """
    optimizer_class = _registered.get(spec.kind)
    if optimizer_class is None:
        message = (
            f"this process does not know the optimizer {spec.kind}: call "
            "hotswap.register_elementwise before hotswap.join(), so that mirrors do too"
        )
        raise NotProtectable(message)
    taken = inspect.signature(optimizer_class).parameters
    defaults = {key: value for key, value in spec.defaults.items() if key in taken}
    groups = [
        {**_live(group, device=device), **flags, "params": list(members)}
        for group, flags, members in zip(spec.groups, spec.flags, parameters, strict=True)
    ]
    # torch's base class types neither groups nor the keyword arguments of its subclasses.
    create: Any = optimizer_class
    built: Optimizer = create(groups, **_live(defaults, device=device))
    return built


def warm_up() -> None:
    """Load what torch loads with the first optimizer of a process: half a second of imports.

    A standby builds its first one when an owner describes its rank to it, and the owner waits at
    its next step until that is read.
    """
    torch.optim.SGD([torch.zeros(1)])


def apply_hyperparameters(
    optimizer: Optimizer, groups: Sequence[dict[str, Value]], *, device: torch.device
) -> None:
    """Give every group of ``optimizer`` the values in ``groups``, except implementation flags."""
    for live, values in zip(optimizer.param_groups, groups, strict=True):
        changed = {key: value for key, value in values.items() if key not in IMPLEMENTATION_FLAGS}
        live.update(_live(changed, device=device))


def _device_of(optimizer: Optimizer) -> torch.device:
    parameters = (p for group in optimizer.param_groups for p in group["params"])
    first = next(parameters, None)
    return torch.device("cpu") if first is None else first.device


def _live(values: dict[str, Value], *, device: torch.device) -> dict[str, object]:
    return {key: live_value(value, device=device) for key, value in values.items()}


def _resolved_flags(group: dict[str, Any]) -> dict[str, bool]:
    # A flag left open means "foreach on an accelerator, else one tensor after the other": the
    # mirror's tensors may be elsewhere, so what the owner does is said outright.
    flags: dict[str, bool] = {key: bool(group[key]) for key in IMPLEMENTATION_FLAGS if key in group}
    if group.get("foreach") is None and not group.get("fused") and "foreach" in group:
        _, foreach = _default_to_fused_or_foreach(
            group["params"], differentiable=flags.get("differentiable", False), use_fused=False
        )
        tensor_lr = isinstance(group.get("lr"), Tensor)
        flags["foreach"] = foreach and not (tensor_lr and not flags.get("capturable", False))
    return flags


def _name_of(optimizer_class: type[Optimizer]) -> str:
    return f"{optimizer_class.__module__}.{optimizer_class.__qualname__}"

"""Whether a rank's state can be protected, said before anything is promised."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.amp import GradScaler
from torch.distributed.tensor import DTensor
from torch.optim import Optimizer
from torch.optim import optimizer as torch_optimizer
from torch.optim.lr_scheduler import ReduceLROnPlateau

from hotswap.errors import NotProtectable, ProtectedChanged
from hotswap.runtime.capsule.hyperparameters import IMPLEMENTATION_FLAGS
from hotswap.runtime.capsule.optimizers import is_builtin, optimizer_spec_of
from hotswap.runtime.capsule.probe import probe_optimizer
from hotswap.runtime.capsule.stateful import Scheduler, Stateful
from hotswap.runtime.capsule.tensors import local, nbytes_range
from hotswap.runtime.capsule.units import Unit, units_of

_SIXTEEN_BIT = (torch.float16, torch.bfloat16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What was protected, to be compared with in every commit."""

    # for each group: its list of parameters and how many there were
    members: tuple[tuple[Sequence[Tensor], int], ...]
    # for each group: its implementation flags
    flags: tuple[tuple[object, ...], ...]
    # names of all places in the model that hold a parameter
    parameters: frozenset[str]


def check_protectable(
    *,
    model: nn.Module,
    optimizer: Optimizer,
    scheduler: Scheduler | None = None,
    scaler: GradScaler | None = None,
    extra: Mapping[str, Stateful] | None = None,
) -> Baseline:
    """Return the baseline of a state that a mirror can follow.

    Raises `NotProtectable`, with what to do about it, for: an optimizer that is not known to be
    elementwise and deterministic, or has hooks; parameters that are not in the model, that share
    memory, or that get sparse gradients; a scheduler that needs a metric; anything in ``extra``,
    scheduler or scaler without ``state_dict`` and ``load_state_dict``.
    """
    _check_optimizer(optimizer)
    units = units_of(model, optimizer)
    _check_dimensions(units)
    _check_distinct_memory(units)
    _check_gradients_dense(model)
    _check_scheduler(scheduler, optimizer=optimizer)
    for name, holder in (("scheduler", scheduler), ("scaler", scaler), *(extra or {}).items()):
        _check_state_dict(name, holder)
    return Baseline(
        members=tuple((group["params"], len(group["params"])) for group in optimizer.param_groups),
        flags=_flags(optimizer),
        parameters=frozenset(_parameter_names(model)),
    )


def check_unchanged(baseline: Baseline, *, model: nn.Module, optimizer: Optimizer) -> None:
    """Raise `ProtectedChanged` when parameters, groups, flags or hooks are not those of before.

    Cheap enough for every step: it counts, and looks at no tensor.
    """
    _check_groups(baseline, model=model, optimizer=optimizer)
    if _flags(optimizer) != baseline.flags:
        message = (
            f"one of {', '.join(IMPLEMENTATION_FLAGS)} has changed in optimizer.param_groups: set "
            "them when you build the optimizer"
        )
        raise ProtectedChanged(message)
    if _has_hooks(optimizer):
        message = "a step hook was added to the optimizer; " + _ABOUT_HOOKS
        raise ProtectedChanged(message)
    if _parameter_count(model) != len(baseline.parameters):
        names = sorted(baseline.parameters.symmetric_difference(_parameter_names(model)))
        message = (
            f"the model has gained or lost {', '.join(names)} since it was protected: build it "
            "whole, then the optimizer, then call protect"
        )
        raise ProtectedChanged(message)


_ABOUT_HOOKS = (
    "a mirror would not run it: do the same in after_step if it only reads the parameters, "
    "otherwise before commit, on the gradients"
)


def _check_groups(baseline: Baseline, *, model: nn.Module, optimizer: Optimizer) -> None:
    groups = optimizer.param_groups
    before = len(baseline.members)
    if len(groups) != before:
        added = [parameter for group in groups[before:] for parameter in group["params"]]
        message = (
            f"the optimizer had {before} groups when it was protected, now {len(groups)} "
            f"(with {_described(added, model)}): add every group before you call protect"
        )
        raise ProtectedChanged(message)
    for index, (group, (members, count)) in enumerate(zip(groups, baseline.members, strict=True)):
        now = group["params"]
        if now is not members or len(now) != count:
            added = [parameter for parameter in now if not any(parameter is m for m in members)]
            message = (
                f"optimizer group {index} had {count} parameters when it was protected, now "
                f"another list of {len(now)} (with {_described(added or now[count:], model)}): set "
                "up the groups before you call protect"
            )
            raise ProtectedChanged(message)


def _described(parameters: Sequence[Tensor], model: nn.Module) -> str:
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    described = [
        names.get(id(parameter), f"one of shape {tuple(parameter.shape)}")
        for parameter in parameters
    ]
    return ", ".join(described) or "no other parameters"


def _check_optimizer(optimizer: Optimizer) -> None:
    spec = optimizer_spec_of(optimizer)
    for index, flags in enumerate(spec.flags):
        for flag in ("capturable", "differentiable"):
            if flags.get(flag):
                message = (
                    f"optimizer group {index} has {flag}=True, which a mirror in host memory "
                    f"cannot replay: pass {flag}=False"
                )
                raise NotProtectable(message)
    if _has_hooks(optimizer):
        message = "the optimizer has step hooks; " + _ABOUT_HOOKS
        raise NotProtectable(message)
    _check_fused_sgd(optimizer)
    if not is_builtin(spec.kind):
        probe_optimizer(spec, dtype=optimizer.param_groups[0]["params"][0].dtype)


def _check_fused_sgd(optimizer: Optimizer) -> None:
    # https://github.com/pytorch/pytorch/issues/191763: torch 2.13 leaves most of a 16-bit
    # parameter as it was, and reads momentum from beyond its end: other bits in every run.
    if not isinstance(optimizer, torch.optim.SGD):
        return
    for index, group in enumerate(optimizer.param_groups):
        if group.get("fused") and any(p.dtype in _SIXTEEN_BIT for p in group["params"]):
            message = (
                f"optimizer group {index}: torch's fused SGD is not deterministic on 16-bit "
                "parameters (pytorch issue 191763): pass fused=False"
            )
            raise NotProtectable(message)


def _check_dimensions(units: Sequence[Unit]) -> None:
    # Of a tensor without dimensions cannot be said whether it is distributed as the parameter is
    # or a plain number beside it.
    for unit in units:
        if isinstance(unit.parameter, DTensor) and unit.parameter.dim() == 0:
            message = (
                f"parameter {unit.name!r} is distributed and has no dimensions: give it one, by "
                "torch.zeros(1) instead of torch.zeros(())"
            )
            raise NotProtectable(message)


def _check_distinct_memory(units: Sequence[Unit]) -> None:
    ranges = []
    for unit in units:
        start, end = nbytes_range(local(unit.parameter))
        if start < end:
            ranges.append((start, end, unit))
    ranges.sort(key=lambda item: item[:2])
    for (_, end, unit), (start, _, other) in pairwise(ranges):
        if start < end:
            message = (
                f"parameters {unit.name!r} (group {unit.group}) and {other.name!r} (group "
                f"{other.group}) share memory, so that each step changes them twice: tie weights "
                "by using one Parameter in both places"
            )
            raise NotProtectable(message)


def _check_gradients_dense(model: nn.Module) -> None:
    for name, module in model.named_modules():
        if isinstance(module, nn.Embedding | nn.EmbeddingBag) and module.sparse:
            message = (
                f"{name or 'the model'!r} has sparse gradients, and a mirror replays dense ones: "
                "build the embedding with sparse=False"
            )
            raise NotProtectable(message)


def _check_scheduler(scheduler: object, *, optimizer: Optimizer) -> None:
    if isinstance(scheduler, ReduceLROnPlateau):
        message = (
            "ReduceLROnPlateau steps on a metric, which commit does not have: pass it in extra, "
            "with an object that keeps the metric, and step it in after_step"
        )
        raise NotProtectable(message)
    governed = getattr(scheduler, "optimizer", optimizer)
    if governed is not optimizer:
        message = "the scheduler governs another optimizer than the one that is protected"
        raise NotProtectable(message)


def _check_state_dict(name: str, holder: object) -> None:
    if holder is None:
        return
    missing = [
        method
        for method in ("state_dict", "load_state_dict")
        if not callable(getattr(holder, method, None))
    ]
    if missing:
        message = (
            f"{name} ({type(holder).__name__}) has no {' and no '.join(missing)}: give it both, so "
            "that its state can follow the rank"
        )
        raise NotProtectable(message)


def _flags(optimizer: Optimizer) -> tuple[tuple[object, ...], ...]:
    return tuple(
        tuple(group.get(flag) for flag in IMPLEMENTATION_FLAGS) for group in optimizer.param_groups
    )


def _has_hooks(optimizer: Optimizer) -> bool:
    # No public way to ask; a hook that changes parameters would make owner and mirror differ.
    return bool(
        optimizer._optimizer_step_pre_hooks  # noqa: SLF001 - as said above
        or optimizer._optimizer_step_post_hooks  # noqa: SLF001
        or torch_optimizer._global_optimizer_pre_hooks  # noqa: SLF001
        or torch_optimizer._global_optimizer_post_hooks  # noqa: SLF001
    )


def _parameter_count(model: nn.Module) -> int:
    # Counts places, not tensors: FSDP exchanges the parameters in them while it computes.
    return sum(
        parameter is not None
        for module in model.modules()
        for parameter in module._parameters.values()  # noqa: SLF001
    )


def _parameter_names(model: nn.Module) -> Iterator[str]:
    for prefix, module in model.named_modules():
        for key, parameter in module._parameters.items():  # noqa: SLF001
            if parameter is not None:
                yield f"{prefix}.{key}" if prefix else key

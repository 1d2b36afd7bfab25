"""Putting a registered optimizer to the proof: elementwise, deterministic, no hidden state."""

import copy
from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor
from torch.optim import Optimizer

from hotswap.errors import NotProtectable
from hotswap.runtime.capsule.optimizers import OptimizerSpec, build_optimizer
from hotswap.runtime.capsule.tensors import local, same_bits

# A multiple of every vector width and loop unrolling, so that halves are split like the whole.
_ELEMENTS: Final = 1024
_STEPS: Final = 3
_CPU: Final = torch.device("cpu")


def probe_optimizer(spec: OptimizerSpec, *, dtype: torch.dtype) -> None:
    """Run the optimizer of ``spec`` on a few numbers and see whether a mirror could follow it.

    Takes milliseconds, and leaves the random number generators as they are.

    Raises `NotProtectable` when the same step gives other bits with another random seed, when an
    element's result depends on other elements, or when a copy of parameters, state and groups
    does not go on as the original does.
    """
    with torch.random.fork_rng(devices=[]):
        whole = _run(spec, [_ELEMENTS], dtype=dtype, seed=1)
        again = _run(spec, [_ELEMENTS], dtype=dtype, seed=2)
        halves = _run(spec, [_ELEMENTS // 2] * 2, dtype=dtype, seed=1)
        copied = _run(spec, [_ELEMENTS], dtype=dtype, seed=1, copied_at=1)
    _require(spec, whole, again, problem="is not deterministic: it draws random numbers")
    _require(
        spec, whole, halves, problem="is not elementwise: an element depends on others beside it"
    )
    _require(
        spec,
        whole,
        copied,
        problem=(
            "keeps state outside optimizer.state[parameter] and optimizer.param_groups: a copy of "
            "these does not go on as the original does"
        ),
    )


def _require(spec: OptimizerSpec, one: list[Tensor], other: list[Tensor], *, problem: str) -> None:
    if all(same_bits(a, b) for a, b in zip(one, other, strict=True)):
        return
    message = f"{spec.kind} {problem}, so a mirror cannot follow it. Take another optimizer"
    raise NotProtectable(message)


def _run(
    spec: OptimizerSpec,
    sizes: Sequence[int],
    *,
    dtype: torch.dtype,
    seed: int,
    copied_at: int | None = None,
) -> list[Tensor]:
    """Return, for each group, its parameter after some steps, in one piece."""
    values = torch.Generator().manual_seed(7)
    groups = [
        [part.clone() for part in torch.split(_draw(values, dtype=dtype), list(sizes))]
        for _ in spec.groups
    ]
    optimizer = build_optimizer(spec, groups, device=_CPU)
    torch.manual_seed(seed)
    for step in range(_STEPS):
        if step == copied_at:
            optimizer, groups = _copy(spec, optimizer)
        for group in groups:
            gradients = torch.split(_draw(values, dtype=dtype), list(sizes))
            for parameter, gradient in zip(group, gradients, strict=True):
                parameter.grad = gradient.clone()
        optimizer.step()
    return [torch.cat([local(part) for part in group]) for group in groups]


def _draw(values: torch.Generator, *, dtype: torch.dtype) -> Tensor:
    return torch.randn(_ELEMENTS, generator=values).to(dtype)


def _copy(spec: OptimizerSpec, optimizer: Optimizer) -> tuple[Optimizer, list[list[Tensor]]]:
    groups = [[local(part).clone() for part in group["params"]] for group in optimizer.param_groups]
    copied = build_optimizer(spec, groups, device=_CPU)
    for old, new in zip(optimizer.param_groups, copied.param_groups, strict=True):
        new.update({key: value for key, value in old.items() if key != "params"})
        for old_part, new_part in zip(old["params"], new["params"], strict=True):
            state = optimizer.state.get(old_part, {})
            copied.state[new_part] = copy.deepcopy(state)
    return copied, groups

"""A small model that trains for real, its owner, and a mirror that follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import ChainedScheduler, CosineAnnealingLR, LinearLR

from hotswap.runtime.capsule.hyperparameters import Hyperparameters
from hotswap.runtime.capsule.optimizers import OptimizerSpec
from hotswap.runtime.capsule.state import RankState
from hotswap.runtime.capsule.tensors import same_bits
from hotswap.runtime.capsule.units import UnitSpec
from hotswap.runtime.mirror.replay import Replay

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Struct = TypeVar("Struct", bound=msgspec.Struct)

STEPS = 8
SIZE = 37

#: Every optimizer of torch that can be protected, with arguments that use all of its state.
OPTIMIZERS: dict[str, dict[str, Any]] = {
    "Adadelta": {"lr": 0.5, "weight_decay": 0.01},
    "Adagrad": {"lr": 0.05, "lr_decay": 0.01, "initial_accumulator_value": 0.1},
    "Adam": {"lr": 0.01, "amsgrad": True, "weight_decay": 0.01},
    "AdamW": {"lr": 0.01, "weight_decay": 0.1},
    "Adamax": {"lr": 0.01, "weight_decay": 0.01},
    "ASGD": {"lr": 0.01, "t0": 3.0, "weight_decay": 0.01},
    "NAdam": {"lr": 0.01, "weight_decay": 0.01},
    "RAdam": {"lr": 0.01, "weight_decay": 0.01},
    "RMSprop": {"lr": 0.01, "momentum": 0.9, "centered": True},
    "Rprop": {"lr": 0.01},
    "SGD": {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
}
IMPLEMENTATIONS: dict[str, dict[str, bool]] = {
    "one tensor after the other": {"foreach": False},
    "foreach": {"foreach": True},
    "fused": {"fused": True},
}
FUSED = ("Adagrad", "Adam", "AdamW", "SGD")


class Network(nn.Module):
    """Layers of odd sizes; one is in channels-last memory, one is used in every third step."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(SIZE, 53)
        self.image = nn.Conv2d(3, 5, 3)
        self.image.weight.data = self.image.weight.data.contiguous(
            memory_format=torch.channels_last
        )
        self.norm = nn.BatchNorm1d(53)
        self.rare = nn.Linear(53, 53, bias=False)
        self.last = nn.Linear(53, 1)
        self.scale = nn.Parameter(torch.tensor(0.25))
        self.rare_in = 2

    def forward(self, batch: Tensor, *, step: int) -> Tensor:
        hidden = self.norm(self.first(batch)).relu()
        if step % 3 == self.rare_in:
            hidden = hidden + self.rare(hidden)
        pixels = batch[:, :27].reshape(-1, 3, 3, 3).contiguous(memory_format=torch.channels_last)
        seen: Tensor = self.last(hidden) * self.scale + self.image(pixels).mean()
        return seen


def network(*, seed: int = 0, dtype: torch.dtype = torch.float32) -> Network:
    """Return a network whose weights ``seed`` decides."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        built = Network()
    return built.to(dtype)


def groups(model: nn.Module) -> list[dict[str, Any]]:
    """Return two groups: matrices, and the rest with a learning rate and decay of its own."""
    parameters = list(model.parameters())
    return [
        {"params": [parameter for parameter in parameters if parameter.dim() > 1]},
        {"params": [parameter for parameter in parameters if parameter.dim() <= 1], "lr": 0.003},
    ]


def optimizer_for(
    model: nn.Module, name: str = "AdamW", /, **arguments: Any
) -> torch.optim.Optimizer:
    """Return that optimizer of torch over two groups."""
    built: torch.optim.Optimizer = getattr(torch.optim, name)(
        groups(model), **{**OPTIMIZERS[name], **arguments}
    )
    return built


def schedule_for(optimizer: torch.optim.Optimizer) -> ChainedScheduler:
    """Return a schedule that changes the learning rates in every step."""
    return ChainedScheduler(
        [
            LinearLR(optimizer, start_factor=0.2, total_iters=4),
            CosineAnnealingLR(optimizer, T_max=20),
        ]
    )


def batch(step: int, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the batch of a step, always the same."""
    generator = torch.Generator().manual_seed(1000 + step)
    return torch.randn(16, SIZE, generator=generator).to(dtype)


def forward_backward(model: nn.Module, *, step: int, clip: float = 1.0) -> Tensor:
    """Compute and clip the gradients of a step."""
    dtype = next(model.parameters()).dtype
    loss: Tensor = model(batch(step, dtype=dtype), step=step).pow(2).mean()
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    return loss.detach()


def protected(model: nn.Module, optimizer: torch.optim.Optimizer, **more: Any) -> RankState:
    """Return the state of a rank with a schedule."""
    return RankState(model=model, optimizer=optimizer, scheduler=schedule_for(optimizer), **more)


def train(state: RankState, model: nn.Module, *, steps: Iterable[int]) -> list[Tensor]:
    """Take steps, and return their losses."""
    losses = []
    for step in steps:
        state.begin_step()
        losses.append(forward_backward(model, step=step))
        state.gradients()
        state.apply()
    return losses


class Mirror:
    """A mirror of ``state``, fed with what would come off the wire."""

    def __init__(self, state: RankState) -> None:
        self.state = state
        self.replay = Replay(
            optimizer=sent(state.optimizer_spec(), OptimizerSpec),
            units=[sent(spec, UnitSpec) for spec in state.unit_specs()],
        )

    def copy(self, names: Iterable[str]) -> None:
        """Copy units of these names at the owner's version."""
        wanted = set(names)
        for spec in self.state.unit_specs():
            if spec.name in wanted:
                tensors = cloned(self.state.unit_tensors([spec.name]))
                self.replay.put_unit(
                    sent(spec, UnitSpec), version=self.state.version, tensors=tensors
                )

    def log(self, *, skip: bool = False) -> None:
        """Log the gradients that the owner has."""
        gradients = [None if g is None else g.clone() for g in self.state.gradients()]
        hyperparameters = sent(self.state.hyperparameters(), Hyperparameters)
        assert self.replay.log(
            step=self.state.version,
            gradients=gradients,
            hyperparameters=hyperparameters,
            skip=skip,
        )


def sent(value: Struct, kind: type[Struct]) -> Struct:
    """Return ``value`` as it comes off the wire."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=kind)


def cloned(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return contiguous copies, as they come off the wire."""
    return {name: tensor.clone() for name, tensor in tensors.items()}


def differing(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> list[str]:
    """Return the names of tensors that are not the same bits, or that one side lacks."""
    return sorted(
        name
        for name in one.keys() | other.keys()
        if name not in one or name not in other or not same_bits(one[name], other[name])
    )


def everything(state: RankState) -> dict[str, Tensor]:
    """Return copies of all tensors of a rank: units and buffers."""
    return cloned({**state.unit_tensors(), **state.buffers.tensors()})

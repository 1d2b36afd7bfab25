"""One rank of the FSDP tests: trains, is mirrored, and goes on in a model built anew.

Run as ``python -m tests.hotswap.runtime.capsule.fsdp_rank RANK SIZE STORE`` once for each rank.
Prints one line of JSON: what was checked, with counts, so that nothing passes unseen.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

from hotswap.runtime.capsule.state import RankState
from hotswap.runtime.capsule.tensors import same_bits
from tests.hotswap.runtime.capsule.support import (
    Mirror,
    cloned,
    differing,
    everything,
    schedule_for,
)

STEPS = 5
TAKEN_OVER_AT = 2
# all of torch that step over distributed tensors; Rprop does not, on torch 2.13
OPTIMIZERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("AdamW", {"lr": 0.01, "amsgrad": True}),
    ("Adam", {"lr": 0.01, "fused": True}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True, "foreach": True}),
    ("Adagrad", {"lr": 0.05, "initial_accumulator_value": 0.1}),
    ("Adadelta", {"lr": 0.5}),
    ("Adamax", {"lr": 0.01}),
    ("ASGD", {"lr": 0.01}),
    ("NAdam", {"lr": 0.01}),
    ("RAdam", {"lr": 0.01}),
    ("RMSprop", {"lr": 0.01, "momentum": 0.9, "centered": True}),
)


class Sharded(nn.Module):
    """Rows that do not divide by the ranks, and parameters with fewer rows than ranks."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(11, 7)
        self.norm = nn.LayerNorm(7)
        self.last = nn.Linear(7, 1)
        self.rare = nn.Linear(7, 7)

    def forward(self, batch: Tensor, *, step: int) -> Tensor:
        hidden = self.norm(self.first(batch)).relu()
        if step % 2:
            hidden = hidden + self.rare(hidden)
        seen: Tensor = self.last(hidden)
        return seen


class Average:
    """An average of sharded weights: distributed tensors themselves."""

    def __init__(self, model: nn.Module) -> None:
        self.live = dict(model.named_parameters())
        self.averaged = {name: torch.zeros_like(value) for name, value in self.live.items()}

    def update(self) -> None:
        with torch.no_grad():
            for name, value in self.live.items():
                self.averaged[name].lerp_(value, 0.1)

    def state_dict(self) -> dict[str, Any]:
        return dict(self.averaged)

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        for name, value in state.items():
            assert isinstance(value, DTensor)
            self.averaged[name].copy_(value)


def build(
    mesh: DeviceMesh, *, seed: int, name: str, **arguments: Any
) -> tuple[nn.Module, RankState]:
    """Return a sharded model and its state, with an average of the weights."""
    torch.manual_seed(seed)
    model = Sharded()
    for layer in (model.first, model.rare):
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    average = Average(model)
    optimizer = getattr(torch.optim, name)(
        [
            {"params": [p for p in model.parameters() if p.dim() > 1]},
            {"params": [p for p in model.parameters() if p.dim() == 1], "lr": 0.02},
        ],
        **arguments,
    )
    state = RankState(
        model=model,
        optimizer=optimizer,
        scheduler=schedule_for(optimizer),
        extra={"average": average},
        after_step=average.update,
    )
    return model, state


def compute(model: nn.Module, *, step: int, rank: int) -> Tensor:
    """Forward, backward and clipping."""
    generator = torch.Generator().manual_seed(100 * step + rank)
    loss: Tensor = model(torch.randn(5, 11, generator=generator), step=step).pow(2).mean()
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    return loss.detach()


def train(model: nn.Module, state: RankState, *, steps: range, rank: int) -> list[Tensor]:
    """Train as a protected script does, without a mirror."""
    losses = []
    for step in steps:
        losses.append(compute(model, step=step, rank=rank))
        state.apply()
    return losses


def check(mesh: DeviceMesh, *, rank: int, name: str, **arguments: Any) -> dict[str, Any]:
    """Compare owner, mirror and successor with a run that nothing disturbed."""
    straight, wanted = build(mesh, seed=0, name=name, **arguments)
    losses = train(straight, wanted, steps=range(STEPS), rank=rank)

    unprotected, plain = build(mesh, seed=0, name=name, **arguments)
    # the step as torch takes it, over distributed tensors
    plain._shard_step._sharded = False
    plain_losses = train(unprotected, plain, steps=range(STEPS), rank=rank)

    model, state = build(mesh, seed=0, name=name, **arguments)
    mirror = Mirror(state)
    names = [spec.name for spec in state.unit_specs()]
    found = []
    for step in range(TAKEN_OVER_AT):
        mirror.copy(names[step::TAKEN_OVER_AT])
        found.append(compute(model, step=step, rank=rank))
        mirror.log()
        mirror.replay.apply()
        state.apply()
    differs = differing(state.unit_tensors(), mirror.replay.tensors())

    successor, taken_over = build(mesh, seed=5, name=name, **arguments)
    # leave FSDP with gathered parameters, as an evaluation does
    with torch.no_grad():
        successor(torch.randn(2, 11), step=1)
    taken_over.load(
        version=TAKEN_OVER_AT,
        units=mirror.replay.specs(),
        tensors=cloned(mirror.replay.tensors()),
        buffers=cloned(state.buffers.tensors()),
        small=state.small_state(),
    )
    found += train(successor, taken_over, steps=range(TAKEN_OVER_AT, STEPS), rank=rank)
    return {
        "optimizer": f"{name} {arguments}",
        "mirror_complete": mirror.replay.complete,
        "mirror_differs": differs,
        "as_unprotected": same_bits(torch.stack(losses), torch.stack(plain_losses)),
        "differs_from_unprotected": differing(everything(wanted), everything(plain)),
        "kept_as_unprotected": kinds(wanted) == kinds(plain),
        "loss_same": same_bits(torch.stack(found), torch.stack(losses)),
        "state_differs": differing(everything(taken_over), everything(wanted)),
        "small_same": same_small(taken_over, wanted),
        "distributed": sum(
            isinstance(value, DTensor)
            for unit in taken_over._units
            for value in unit.state().values()
        ),
        "tensors": len(everything(wanted)),
        "shard_sizes": sorted({spec.shape[0] for spec in wanted.unit_specs()}),
    }


def kinds(state: RankState) -> list[tuple[str, str]]:
    """Return name and type of each entry of the optimizer's state, in its order."""
    return [
        (f"{unit.name}/{key}", type(value).__name__)
        for unit in state._units
        for key, value in unit.state().items()
    ]


def same_small(one: RankState, other: RankState) -> bool:
    """Return whether two small states, averages of the weights included, are the same bits."""
    (blob, tensors), (other_blob, others) = one.small_state(), other.small_state()
    pairs = zip(tensors, others, strict=True)
    return blob == other_blob and len(tensors) > 0 and all(same_bits(a, b) for a, b in pairs)


def main() -> None:
    """Run every case on this rank."""
    rank, size, store = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    dist.init_process_group(
        "gloo",
        init_method=f"file://{store}",
        rank=rank,
        world_size=size,
        # a rank that fails ends; the others then fail within this time
        timeout=timedelta(seconds=60),
    )
    mesh = init_device_mesh("cpu", (size,))
    results = [check(mesh, rank=rank, name=name, **arguments) for name, arguments in OPTIMIZERS]
    dist.destroy_process_group()
    print(json.dumps(results))


if __name__ == "__main__":
    main()

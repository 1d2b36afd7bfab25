"""Every schedule of torch, and holders of the script's own, can follow a rank."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.optim import Optimizer
from torch.optim import lr_scheduler as schedules
from torch.optim.swa_utils import SWALR

from hotswap.errors import StateNotEncodable
from hotswap.runtime.capsule.state import RankState
from tests.hotswap.runtime.capsule.support import (
    cloned,
    differing,
    network,
    optimizer_for,
    train,
)

Make = Callable[[Optimizer], Any]


class Warmup:
    """A callable with state, as `LambdaLR` takes them."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def __call__(self, step: int) -> float:
        return min(1.0, (step + 1) / self.steps)


SCHEDULES: dict[str, Make] = {
    "LambdaLR of a function": lambda o: schedules.LambdaLR(o, lambda step: 1 / (step + 1)),
    "LambdaLR of an object": lambda o: schedules.LambdaLR(o, [Warmup(3), Warmup(5)]),
    "MultiplicativeLR": lambda o: schedules.MultiplicativeLR(o, lambda step: 0.9 + step / 100),
    "StepLR": lambda o: schedules.StepLR(o, 2),
    "MultiStepLR": lambda o: schedules.MultiStepLR(o, [1, 3, 3, 4]),
    "ConstantLR": lambda o: schedules.ConstantLR(o, total_iters=3),
    "LinearLR": lambda o: schedules.LinearLR(o, total_iters=5),
    "ExponentialLR": lambda o: schedules.ExponentialLR(o, 0.7),
    "PolynomialLR": lambda o: schedules.PolynomialLR(o, total_iters=9, power=2),
    "CosineAnnealingLR": lambda o: schedules.CosineAnnealingLR(o, T_max=6),
    "CosineAnnealingWarmRestarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, T_0=2),
    "CyclicLR": lambda o: schedules.CyclicLR(o, 0.01, 0.1, step_size_up=2, cycle_momentum=False),
    "OneCycleLR": lambda o: schedules.OneCycleLR(o, 0.1, total_steps=20),
    "SWALR": lambda o: SWALR(o, swa_lr=0.05, anneal_epochs=4),
    "ChainedScheduler": lambda o: schedules.ChainedScheduler(
        [schedules.LinearLR(o, total_iters=2), schedules.ExponentialLR(o, 0.9)]
    ),
    "SequentialLR": lambda o: schedules.SequentialLR(
        o, [schedules.LinearLR(o, total_iters=2), schedules.ExponentialLR(o, 0.9)], [2]
    ),
}


def test_no_schedule_of_torch_is_forgotten() -> None:
    classes = {
        name
        for name, value in vars(schedules).items()
        if isinstance(value, type)
        and issubclass(value, schedules.LRScheduler)
        and not name.startswith("_")
    }
    tested = {name.split(" ")[0] for name in SCHEDULES} - {"SWALR"}
    # the one is the base, the other needs a metric and is refused
    assert classes - tested == {"LRScheduler", "ReduceLROnPlateau"}


@pytest.mark.parametrize("tensor_lr", [False, True], ids=["", "lr in a tensor"])
@pytest.mark.parametrize("before_the_step", [False, True])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_schedule_follows_the_rank(
    schedule: str, *, before_the_step: bool, tensor_lr: bool
) -> None:
    models, states = [], []
    for seed in (0, 9):
        models.append(network(seed=seed))
        if tensor_lr:
            optimizer: Optimizer = torch.optim.SGD(
                [
                    {"params": list(models[-1].parameters())[:3]},
                    {"params": list(models[-1].parameters())[3:]},
                ],
                lr=torch.tensor(0.1),
                momentum=0.9,
            )
        else:
            optimizer = optimizer_for(models[-1], "SGD")
        scheduler = SCHEDULES[schedule](optimizer)
        states.append(RankState(model=models[-1], optimizer=optimizer, scheduler=scheduler))
    owner, successor = states
    train(owner, models[0], steps=range(3))
    small = owner.small_state()
    small = small[0], [tensor.clone() for tensor in small[1]]
    rates = [hyperparameters["lr"] for hyperparameters in owner.hyperparameters().groups]
    train(owner, models[0], steps=[3])
    assert rates != [group["lr"] for group in owner.hyperparameters().groups] or schedule in (
        "ConstantLR",
        "MultiStepLR",
        "StepLR",
    )
    successor.load(
        version=4,
        units=owner.unit_specs(),
        tensors=cloned(owner.unit_tensors()),
        buffers=cloned(owner.buffers.tensors()),
        small=small if before_the_step else owner.small_state(),
    )
    if before_the_step:
        successor.advance(skip=False)
    for step in range(4, 7):
        assert successor.hyperparameters() == owner.hyperparameters()
        assert same_small(successor, owner)
        train(owner, models[0], steps=[step])
        train(successor, models[1], steps=[step])
    assert differing(successor.unit_tensors(), owner.unit_tensors()) == []


def same_small(one: RankState, other: RankState) -> bool:
    (blob, tensors), (other_blob, others) = one.small_state(), other.small_state()
    return blob == other_blob and all(
        torch.equal(a, b) for a, b in zip(tensors, others, strict=True)
    )


class Counter:
    """A holder of the script's own."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def state_dict(self) -> dict[str, Any]:
        return self.values

    def load_state_dict(self, state_dict: dict[str, Any], /) -> None:
        self.values = state_dict


def state_with(**extra: Counter) -> RankState:
    model = network()
    return RankState(model=model, optimizer=optimizer_for(model), extra=extra)


def test_what_a_script_keeps_comes_along() -> None:
    mine = Counter(seen=3, best=(0.5, [torch.ones(2), {"at": 7}]), name="é", nothing=None)
    owner = state_with(mine=mine)
    theirs = Counter(best=(0.1, [torch.zeros(2)]))
    successor = state_with(mine=theirs)
    blob, tensors = owner.small_state()
    successor.load(
        version=0,
        units=owner.unit_specs(),
        tensors=owner.unit_tensors(),
        buffers=owner.buffers.tensors(),
        small=(blob, tensors),
    )
    assert theirs.values["seen"] == 3
    assert isinstance(theirs.values["best"], tuple)
    loaded = theirs.values["best"][1][0]
    assert torch.equal(loaded, torch.ones(2))
    # a copy: what was received may be used again
    assert loaded.data_ptr() != tensors[0].data_ptr()


def test_an_empty_state_is_given_back_too() -> None:
    owner, theirs = state_with(mine=Counter()), Counter(a=1)
    successor = state_with(mine=theirs)
    successor.load(
        version=0,
        units=owner.unit_specs(),
        tensors=owner.unit_tensors(),
        buffers=owner.buffers.tensors(),
        small=owner.small_state(),
    )
    assert theirs.values == {}


def test_what_cannot_come_along_is_named_by_its_path() -> None:
    state = state_with(mine=Counter(callbacks=[print]))
    with pytest.raises(StateNotEncodable) as caught:
        state.small_state()
    assert caught.value.path == "extra.mine.callbacks[0]"

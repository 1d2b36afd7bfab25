"""Loading a state: in place, whole, or not at all."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR, StepLR

from hotswap.errors import StateMalformed, StateMismatch
from hotswap.runtime.capsule.state import RankState
from tests.hotswap.runtime.capsule.support import (
    Network,
    cloned,
    differing,
    everything,
    network,
    optimizer_for,
    protected,
    train,
)


def fresh() -> tuple[Network, RankState]:
    """Return another process's model, which has other weights so far."""
    model = network(seed=9)
    return model, protected(model, optimizer_for(model))


def test_loading_keeps_the_parameter_objects() -> None:
    model, state = fresh()
    before = list(model.parameters())
    other = network()
    source = protected(other, optimizer_for(other))
    train(source, other, steps=range(2))
    load(state, source)
    assert all(a is b for a, b in zip(before, model.parameters(), strict=True))
    assert differing(everything(state), everything(source)) == []


def test_loading_over_a_state_that_has_moved_on_leaves_nothing_of_it() -> None:
    model, state = fresh()
    train(state, model, steps=range(3))
    other = network()
    source = protected(other, optimizer_for(other))
    load(state, source)
    assert differing(everything(state), everything(source)) == []
    assert state.unit_specs() == source.unit_specs()
    assert state.small_state()[0] == source.small_state()[0]


@pytest.mark.parametrize(
    "make",
    [lambda optimizer: StepLR(optimizer, 2), lambda optimizer: ExponentialLR(optimizer, 0.5)],
    ids=["StepLR", "ExponentialLR"],
)
def test_loading_sets_the_learning_rate(make: Callable[..., Any]) -> None:
    states = []
    for seed in (0, 9):
        model = network(seed=seed)
        optimizer = optimizer_for(model, "SGD")
        states.append(
            (RankState(model=model, optimizer=optimizer, scheduler=make(optimizer)), model)
        )
    (source, model), (target, other) = states
    train(source, model, steps=range(3))
    load(target, source)
    assert target.hyperparameters() == source.hyperparameters()
    train(source, model, steps=[3])
    train(target, other, steps=[3])
    assert target.hyperparameters() == source.hyperparameters()
    assert source.hyperparameters().groups[0]["lr"] != 0.05


def test_a_learning_rate_in_a_tensor_stays_that_tensor() -> None:
    states = []
    for seed in (0, 9):
        model = network(seed=seed)
        optimizer = torch.optim.AdamW(model.parameters(), lr=torch.tensor(0.01), fused=True)
        scheduler = ExponentialLR(optimizer, 0.5)
        states.append(RankState(model=model, optimizer=optimizer, scheduler=scheduler))
        train(states[-1], model, steps=range(seed // 3))
    source, target = states
    lr = target._optimizer.param_groups[0]["lr"]
    load(target, source)
    assert target._optimizer.param_groups[0]["lr"] is lr
    assert torch.equal(lr, torch.tensor(0.01))
    assert target.small_state()[0] == source.small_state()[0]


def load(target: RankState, source: RankState) -> None:
    target.load(
        version=source.version,
        units=source.unit_specs(),
        tensors=cloned(source.unit_tensors()),
        buffers=cloned(source.buffers.tensors()),
        small=source.small_state(),
    )


def load_and_go_on(
    target: tuple[RankState, Network], source: tuple[RankState, Network], *, step: int
) -> None:
    """Load, take one more step on both sides, and find both alike before and after it."""
    load(target[0], source[0])
    assert differing(everything(target[0]), everything(source[0])) == []
    assert target[0].unit_specs() == source[0].unit_specs()
    for state, model in (target, source):
        train(state, model, steps=[step])
    assert differing(everything(target[0]), everything(source[0])) == []


@pytest.mark.parametrize("name", ["AdamW", "SGD", "Adagrad"])
def test_a_load_that_was_foreseen_leaves_what_any_other_would(name: str) -> None:
    """Only the bytes are new then; they were others when it was foreseen."""
    other = network()
    source = protected(other, optimizer_for(other, name))
    train(source, other, steps=range(3))
    model = network(seed=9)
    state = protected(model, optimizer_for(model, name))
    state.prepare(source.unit_specs())
    train(source, other, steps=[3])
    foreseen = state._foreseen
    # not a plain assert: what it would show of the tensors is endless
    fits = foreseen is not None and foreseen.fits(source.unit_specs(), source.unit_tensors())
    assert fits
    load_and_go_on((state, model), (source, other), step=4)


def test_a_load_that_was_foreseen_otherwise_is_a_load_like_any_other() -> None:
    """The optimizer had no state yet when it was foreseen."""
    other = network()
    source = protected(other, optimizer_for(other))
    model, state = fresh()
    state.prepare(source.unit_specs())
    train(source, other, steps=range(2))
    load_and_go_on((state, model), (source, other), step=2)


def parts() -> dict[str, Any]:
    model, state = fresh()
    train(state, model, steps=range(2))
    return {
        "version": 2,
        "units": state.unit_specs(),
        "tensors": cloned(state.unit_tensors()),
        "buffers": cloned(state.buffers.tensors()),
        "small": state.small_state(),
    }


def lose_a_unit(found: dict[str, Any]) -> str:
    found["units"] = found["units"][1:]
    return "first.weight"


def lose_a_tensor(found: dict[str, Any]) -> str:
    del found["tensors"]["norm.bias/exp_avg"]
    return "norm.bias/exp_avg"


def reshape_a_tensor(found: dict[str, Any]) -> str:
    found["tensors"]["norm.bias"] = found["tensors"]["norm.bias"].view(1, -1)
    return "norm.bias"


def lose_a_buffer(found: dict[str, Any]) -> str:
    del found["buffers"]["norm.running_var"]
    return "norm.running_var"


def add_a_homeless_buffer(found: dict[str, Any]) -> str:
    found["buffers"]["nowhere.cache"] = torch.zeros(1)
    return "nowhere.cache"


@pytest.mark.parametrize(
    "damage",
    [lose_a_unit, lose_a_tensor, reshape_a_tensor, lose_a_buffer, add_a_homeless_buffer],
)
def test_what_does_not_fit_is_refused_by_name_and_nothing_loaded(
    damage: Callable[[dict[str, Any]], str],
) -> None:
    found = parts()
    culprit = damage(found)
    _, state = fresh()
    before = everything(state)
    with pytest.raises(StateMismatch) as caught:
        state.load(**found)
    assert caught.value.tensors == (culprit,)
    assert differing(everything(state), before) == []


def test_another_shape_of_model_is_refused() -> None:
    found = parts()
    model = network()
    model.last = nn.Linear(53, 2)
    state = protected(model, optimizer_for(model))
    with pytest.raises(StateMismatch) as caught:
        state.load(**found)
    assert caught.value.tensors == ("last.bias", "last.weight")


def test_another_memory_format_is_refused() -> None:
    found = parts()
    model = network()
    model.image = nn.Conv2d(3, 5, 3)
    state = protected(model, optimizer_for(model))
    with pytest.raises(StateMismatch, match=r"image\.weight"):
        state.load(**found)


def test_a_broken_small_state_is_refused_and_nothing_loaded() -> None:
    found = parts()
    _, state = fresh()
    before = everything(state)
    with pytest.raises(StateMalformed):
        state.load(**{**found, "small": (found["small"][0][:-1], found["small"][1])})
    with pytest.raises(StateMalformed):
        state.load(**{**found, "small": (found["small"][0], [torch.zeros(1)])})
    assert differing(everything(state), before) == []


def test_a_small_state_of_other_holders_is_refused() -> None:
    found = parts()
    model = network()
    optimizer = optimizer_for(model)
    state = RankState(model=model, optimizer=optimizer)
    with pytest.raises(StateMismatch, match="the same of scheduler"):
        state.load(**found)


def test_a_frozen_parameter_follows_the_rank() -> None:
    states = []
    for seed in (0, 9):
        model = network(seed=seed)
        optimizer = torch.optim.SGD(model.last.parameters(), lr=0.1)
        states.append(RankState(model=model, optimizer=optimizer))
    source, target = states
    assert "first.weight" in source.buffers.tensors()
    load(target, source)
    assert differing(everything(target), everything(source)) == []

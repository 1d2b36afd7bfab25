"""Writes to units that the optimizer did not make are noticed."""

import copy
from collections.abc import Callable

import pytest
import torch

from hotswap.runtime.capsule.state import RankState
from tests.hotswap.runtime.capsule.support import (
    IMPLEMENTATIONS,
    Network,
    network,
    optimizer_for,
    protected,
    train,
)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_training_alone_touches_nothing(implementation: str) -> None:
    model = network()
    state = protected(model, optimizer_for(model, **IMPLEMENTATIONS[implementation]))
    assert state.touched() == ()
    for step in range(4):
        train(state, model, steps=[step])
        assert state.touched() == ()
        model.eval()
        with torch.no_grad():
            model(torch.zeros(2, 37), step=2)
        model.train()
        assert state.touched() == ()


def clamp_a_weight(model: Network, state: RankState) -> None:
    del state
    with torch.no_grad():
        model.last.weight.clamp_(-1, 1)


def reset_a_moment(model: Network, state: RankState) -> None:
    state._optimizer.state[model.last.weight]["exp_avg"].zero_()


def drop_the_state_of_one(model: Network, state: RankState) -> None:
    del state._optimizer.state[model.last.weight]


@pytest.mark.parametrize("change", [clamp_a_weight, reset_a_moment, drop_the_state_of_one])
def test_what_the_script_writes_is_named(change: Callable[[Network, RankState], None]) -> None:
    model = network()
    state = protected(model, optimizer_for(model))
    train(state, model, steps=range(2))
    change(model, state)
    assert state.touched() == ("last.weight",)
    train(state, model, steps=[2])
    assert state.touched() == ()


def test_loading_a_state_dict_touches_every_unit_with_state() -> None:
    model = network()
    state = protected(model, optimizer_for(model))
    train(state, model, steps=range(2))
    optimizer = state._optimizer
    optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert len(state.touched()) == 9


def test_a_callback_that_changes_weights_is_noticed() -> None:
    model = network()

    def shrink() -> None:
        with torch.no_grad():
            model.scale.mul_(0.5)

    state = protected(model, optimizer_for(model), after_step=shrink)
    train(state, model, steps=range(1))
    assert state.touched() == ("scale",)

"""A rank's state moves on as an unprotected script's does, and goes on elsewhere as it was."""

import copy
import warnings
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from hotswap.errors import StateMismatch
from hotswap.runtime.capsule.state import RankState
from hotswap.transfer.digest import tensor_digests
from tests.hotswap.runtime.capsule.support import (
    OPTIMIZERS,
    STEPS,
    Mirror,
    Network,
    cloned,
    differing,
    everything,
    forward_backward,
    network,
    optimizer_for,
    protected,
    schedule_for,
    train,
)


def undisturbed(name: str = "AdamW", *, steps: int = STEPS) -> tuple[list[Tensor], RankState]:
    """Train by an ordinary script, and return its losses and final state."""
    model = network()
    optimizer = optimizer_for(model, name)
    scheduler = schedule_for(optimizer)
    losses = []
    for step in range(steps):
        losses.append(forward_backward(model, step=step))
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    return losses, RankState(model=model, optimizer=optimizer, scheduler=scheduler)


def fresh(name: str = "AdamW") -> tuple[Network, RankState]:
    """Return another process's model, which has other weights so far."""
    model = network(seed=9)
    return model, protected(model, optimizer_for(model, name))


def same_losses(one: list[Tensor], other: list[Tensor]) -> bool:
    return torch.equal(torch.stack(one), torch.stack(other))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_it_moves_on_as_an_unprotected_script_does(name: str) -> None:
    losses, wanted = undisturbed(name)
    model = network()
    state = protected(model, optimizer_for(model, name))
    assert same_losses(train(state, model, steps=range(STEPS)), losses)
    assert differing(everything(state), everything(wanted)) == []
    assert state.small_state()[0] == wanted.small_state()[0]
    assert state.version == STEPS


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("taken_over_at", [0, 1, 5])
def test_another_process_goes_on_from_a_mirror(name: str, taken_over_at: int) -> None:
    losses, wanted = undisturbed(name)
    model = network()
    state = protected(model, optimizer_for(model, name))
    mirror = Mirror(state)
    mirror.copy(spec.name for spec in state.unit_specs())
    for step in range(taken_over_at):
        forward_backward(model, step=step)
        mirror.log()
        mirror.replay.apply()
        state.apply()
    successor, taken_over = fresh(name)
    taken_over.load(
        version=taken_over_at,
        units=mirror.replay.specs(),
        tensors=mirror.replay.tensors(),
        buffers=cloned(state.buffers.tensors()),
        small=state.small_state(),
    )
    assert taken_over.version == taken_over_at
    rest = train(taken_over, successor, steps=range(taken_over_at, STEPS))
    assert same_losses(rest, losses[taken_over_at:])
    assert differing(everything(taken_over), everything(wanted)) == []
    assert taken_over.small_state()[0] == wanted.small_state()[0]


@pytest.mark.parametrize("skip", [False, True])
def test_a_small_state_from_before_the_step_is_advanced(*, skip: bool) -> None:
    # What a mirror has when the owner is lost between the vote and the next message.
    model = network()
    state = protected(model, optimizer_for(model))
    mirror = Mirror(state)
    mirror.copy(spec.name for spec in state.unit_specs())
    train(state, model, steps=[])
    forward_backward(model, step=0)
    small = state.small_state()
    mirror.log(skip=skip)
    mirror.replay.apply()
    state.apply(skip=skip)
    successor, taken_over = fresh()
    taken_over.load(
        version=1,
        units=mirror.replay.specs(),
        tensors=mirror.replay.tensors(),
        buffers=cloned(state.buffers.tensors()),
        small=small,
    )
    taken_over.advance(skip=skip)
    assert taken_over.small_state()[0] == state.small_state()[0]
    assert same_losses(
        train(taken_over, successor, steps=range(1, STEPS)),
        train(state, model, steps=range(1, STEPS)),
    )
    assert differing(everything(taken_over), everything(state)) == []


def test_pending_gradients_are_applied_by_the_successor() -> None:
    losses, wanted = undisturbed()
    model = network()
    state = protected(model, optimizer_for(model))
    mirror = Mirror(state)
    mirror.copy(spec.name for spec in state.unit_specs())
    train(state, model, steps=[])
    state.begin_step()
    buffers = cloned(state.buffers.tensors())
    forward_backward(model, step=0)
    mirror.log()
    buffers.update({name: tensor.clone() for name, tensor in state.buffers.changed()})
    successor, taken_over = fresh()
    taken_over.load(
        version=0,
        units=mirror.replay.specs(),
        tensors=mirror.replay.tensors(),
        buffers=buffers,
        small=state.small_state(),
    )
    taken_over.put_gradients(mirror.replay.pending_gradients())
    taken_over.apply()
    assert same_losses(train(taken_over, successor, steps=range(1, STEPS)), losses[1:])
    assert differing(everything(taken_over), everything(wanted)) == []


def test_gradients_that_do_not_fit_are_not_put() -> None:
    model, state = fresh()
    forward_backward(model, step=0)
    gradients = state.gradients()
    gradients[0] = torch.zeros(2, 2)
    with pytest.raises(StateMismatch, match=r"first\.weight do not fit"):
        state.put_gradients(gradients)


def test_a_retried_step_starts_from_where_it_started() -> None:
    losses, wanted = undisturbed()
    model = network()
    state = protected(model, optimizer_for(model))
    found = []
    for step in range(STEPS):
        for _ in range(2):
            state.begin_step()
            forward_backward(model, step=step)
            state.gradients()
            state.discard()
            assert all(parameter.grad is None for parameter in model.parameters())
        found += train(state, model, steps=[step])
    assert same_losses(found, losses)
    assert differing(everything(state), everything(wanted)) == []


def test_there_is_nothing_to_discard_between_two_steps() -> None:
    model, state = fresh()
    train(state, model, steps=range(3))
    before = everything(state)
    state.discard()
    assert differing(everything(state), before) == []
    state.begin_step()
    forward_backward(model, step=3)
    state.discard()
    state.discard()
    assert differing(everything(state), before) == []


class Average:
    """An average of the weights, as scripts keep one."""

    def __init__(self, model: nn.Module, *, decay: float) -> None:
        # torch leaves this function without types
        average: Any = get_ema_multi_avg_fn(decay)  # type: ignore[no-untyped-call]
        self.averaged = AveragedModel(model, multi_avg_fn=average)
        self.model = model

    def update(self) -> None:
        self.averaged.update_parameters(self.model)


def averaging(seed: int) -> tuple[Network, RankState, Average]:
    model = network(seed=seed)
    average = Average(model, decay=0.9)
    state = protected(
        model,
        optimizer_for(model),
        extra={"average": average.averaged},
        after_step=average.update,
    )
    return model, state, average


@pytest.mark.parametrize("before_the_step", [False, True])
def test_an_average_of_the_weights_follows_the_rank(*, before_the_step: bool) -> None:
    model, state, average = averaging(0)
    train(state, model, steps=range(3))
    forward_backward(model, step=3)
    small = copy.deepcopy(state.small_state())
    state.gradients()
    state.apply()
    if not before_the_step:
        small = state.small_state()
    successor, taken_over, successors_average = averaging(9)
    taken_over.load(
        version=4,
        units=state.unit_specs(),
        tensors=cloned(state.unit_tensors()),
        buffers=cloned(state.buffers.tensors()),
        small=small,
    )
    if before_the_step:
        taken_over.advance(skip=False)
    for one, other in ((average, successors_average),):
        assert differing(one.averaged.state_dict(), other.averaged.state_dict()) == []
    train(taken_over, successor, steps=range(4, STEPS))
    train(state, model, steps=range(4, STEPS))
    assert differing(average.averaged.state_dict(), successors_average.averaged.state_dict()) == []
    # the average has gone its own way
    averaged = average.averaged.get_parameter("module.first.weight")
    assert not torch.equal(averaged, model.first.weight)


def test_digests_cover_units_and_buffers() -> None:
    model, state = fresh()
    train(state, model, steps=range(1))
    before = state.digests(tensor_digests)
    model.get_buffer("norm.running_mean").view(torch.int32)[3] ^= 1
    after = state.digests(tensor_digests)
    assert before.keys() == {*state.unit_tensors(), *state.buffers.tensors()}
    assert [name for name in before if before[name] != after[name]] == ["norm.running_mean"]


def test_a_skipped_first_step_warns_of_nothing() -> None:
    model = network()
    state = protected(model, optimizer_for(model))
    forward_backward(model, step=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state.apply(skip=True)
        train(state, model, steps=range(2))

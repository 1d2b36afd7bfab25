"""A gradient scaler evolves as under its own step and update, with a verdict that ranks share."""

import warnings
from typing import Any

import pytest
import torch
from torch import nn
from torch.amp import GradScaler

from hotswap.errors import NotProtectable
from hotswap.runtime.capsule.state import RankState
from hotswap.runtime.capsule.tensors import same_bits
from tests.hotswap.runtime.capsule.support import (
    STEPS,
    batch,
    cloned,
    differing,
    everything,
    network,
    optimizer_for,
    schedule_for,
)

OVERFLOWING = (0, 3, 4)
IMPLEMENTATIONS = ({"foreach": False}, {"foreach": True}, {"fused": True})


def make_scaler(**arguments: Any) -> GradScaler:
    return GradScaler("cpu", init_scale=2.0**10, growth_interval=2, **arguments)


def scaled_backward(model: nn.Module, scaler: GradScaler, *, step: int, overflow: bool) -> None:
    loss = model(batch(step), step=step).pow(2).mean()
    scaler.scale(loss * (float("inf") if overflow else 1.0)).backward()


def undisturbed(*, unscales: bool, **arguments: bool) -> RankState:
    """Train by an ordinary script."""
    model = network()
    optimizer = optimizer_for(model, **arguments)
    scheduler = schedule_for(optimizer)
    scaler = make_scaler()
    for step in range(STEPS):
        scaled_backward(model, scaler, step=step, overflow=step in OVERFLOWING)
        if unscales:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        with warnings.catch_warnings():
            # the scheduler warns of the skipped first step
            warnings.simplefilter("ignore", UserWarning)
            scheduler.step()
        optimizer.zero_grad()
    return RankState(model=model, optimizer=optimizer, scheduler=scheduler, scaler=scaler)


@pytest.mark.parametrize("unscales", [False, True], ids=["", "script unscales and clips"])
@pytest.mark.parametrize("arguments", IMPLEMENTATIONS, ids=str)
def test_it_evolves_as_under_its_own_step_and_update(
    arguments: dict[str, bool], *, unscales: bool
) -> None:
    wanted = undisturbed(unscales=unscales, **arguments)
    model = network()
    optimizer = optimizer_for(model, **arguments)
    scaler = make_scaler()
    state = RankState(
        model=model, optimizer=optimizer, scheduler=schedule_for(optimizer), scaler=scaler
    )
    for step in range(STEPS):
        state.begin_step()
        scaled_backward(model, scaler, step=step, overflow=step in OVERFLOWING)
        if unscales:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        found = state.unscale_and_check()
        assert found == (step in OVERFLOWING)
        state.apply(skip=found)
    assert differing(everything(state), everything(wanted)) == []
    assert state.small_state()[0] == wanted.small_state()[0]
    assert scaler.state_dict()["scale"] != 2.0**10


def one_rank(**arguments: Any) -> tuple[nn.Module, GradScaler, RankState]:
    model = network()
    scaler = make_scaler(**arguments)
    state = RankState(model=model, optimizer=optimizer_for(model), scaler=scaler)
    return model, scaler, state


def test_what_another_rank_found_counts_here_too() -> None:
    model, scaler, state = one_rank()
    before = cloned(state.unit_tensors())
    scaled_backward(model, scaler, step=0, overflow=False)
    assert not state.unscale_and_check()
    state.apply(skip=True)
    assert scaler.get_scale() == 2.0**9
    assert differing(before, state.unit_tensors()) == []


def test_asking_twice_unscales_once() -> None:
    model, scaler, state = one_rank()
    scaled_backward(model, scaler, step=0, overflow=False)
    state.unscale_and_check()
    once = [None if g is None else g.clone() for g in state.gradients()]
    assert not state.unscale_and_check()
    for a, b in zip(once, state.gradients(), strict=True):
        assert (a is None and b is None) or (a is not None and b is not None and same_bits(a, b))


def test_a_retried_step_unscales_again() -> None:
    model, scaler, state = one_rank()
    for attempt in range(2):
        state.begin_step()
        scaled_backward(model, scaler, step=0, overflow=attempt == 0)
        assert state.unscale_and_check() == (attempt == 0)
        if attempt == 0:
            state.discard()
    state.apply()
    assert scaler.get_scale() == 2.0**10
    assert scaler._get_growth_tracker() == 1


def test_a_rank_without_any_gradient_takes_part() -> None:
    _, scaler, state = one_rank()
    scaler.scale(torch.zeros(()))
    assert not state.unscale_and_check()
    state.apply(skip=True)
    assert scaler.get_scale() == 2.0**9


def test_a_scaler_that_is_off_finds_nothing() -> None:
    model, scaler, state = one_rank(enabled=False)
    scaled_backward(model, scaler, step=0, overflow=True)
    assert not state.unscale_and_check()
    state.apply(skip=True)
    state.discard()
    assert state.version == 1


def test_a_loss_that_was_not_scaled_is_refused() -> None:
    model, _, state = one_rank()
    model(batch(0), step=0).sum().backward()
    with pytest.raises(NotProtectable, match=r"call scaler\.scale\(loss\)"):
        state.unscale_and_check()


@pytest.mark.parametrize("before_the_step", [False, True])
@pytest.mark.parametrize("overflow", [False, True])
def test_a_successor_goes_on_with_the_same_scale(*, before_the_step: bool, overflow: bool) -> None:
    model, scaler, state = one_rank()
    scaled_backward(model, scaler, step=0, overflow=overflow)
    small = state.small_state()
    found = state.unscale_and_check()
    state.apply(skip=found)
    _, successors, taken_over = one_rank()
    taken_over.load(
        version=1,
        units=state.unit_specs(),
        tensors=cloned(state.unit_tensors()),
        buffers=cloned(state.buffers.tensors()),
        small=small if before_the_step else state.small_state(),
    )
    if before_the_step:
        taken_over.advance(skip=found)
    assert successors.state_dict() == scaler.state_dict()
    assert successors.get_scale() == (2.0**9 if overflow else 2.0**10)
    taken_over.advance(skip=False)
    state.advance(skip=False)
    assert successors.state_dict() == scaler.state_dict()

"""Units: names, order, memory, gradients, and the state of the optimizer as it comes into being."""

from typing import Any

import pytest
import torch
from torch import nn

from hotswap.errors import NotProtectable
from hotswap.runtime.capsule.unit_loading import state_devices
from hotswap.runtime.capsule.units import UnitSpec, units_of
from tests.hotswap.runtime.capsule.support import (
    OPTIMIZERS,
    forward_backward,
    network,
    optimizer_for,
    protected,
    sent,
    train,
)


def test_units_come_group_by_group_in_the_optimizers_order() -> None:
    model = network()
    units = units_of(model, optimizer_for(model))
    assert [(unit.name, unit.group) for unit in units] == [
        ("first.weight", 0),
        ("image.weight", 0),
        ("rare.weight", 0),
        ("last.weight", 0),
        ("scale", 1),
        ("first.bias", 1),
        ("image.bias", 1),
        ("norm.weight", 1),
        ("norm.bias", 1),
        ("last.bias", 1),
    ]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_asking_for_units_creates_no_optimizer_state(name: str) -> None:
    model = network()
    optimizer = optimizer_for(model, name)
    before = len(optimizer.state)
    for unit in units_of(model, optimizer):
        unit.spec()
        unit.tensors()
    assert len(optimizer.state) == before
    assert before == (10 if name == "Adagrad" else 0)


def test_state_is_described_once_it_exists() -> None:
    model = network()
    state = protected(model, optimizer_for(model, "AdamW"))
    first, *_ = state.unit_specs()
    assert first.state == ()
    assert first.tensor_names() == ("first.weight",)
    train(state, model, steps=range(1))
    specs = {spec.name: spec for spec in state.unit_specs()}
    assert specs["rare.weight"].state == ()
    assert specs["first.weight"].tensor_names() == (
        "first.weight",
        "first.weight/step",
        "first.weight/exp_avg",
        "first.weight/exp_avg_sq",
    )
    described = {entry.key: (entry.shape, entry.parameter_shaped) for entry in specs["scale"].state}
    assert described == dict.fromkeys(["step", "exp_avg", "exp_avg_sq"], ((), True))
    described = {e.key: (e.shape, e.parameter_shaped) for e in specs["last.bias"].state}
    assert described == {"step": ((), False), "exp_avg": ((1,), True), "exp_avg_sq": ((1,), True)}


def test_a_description_travels() -> None:
    model = network()
    state = protected(model, optimizer_for(model))
    train(state, model, steps=range(1))
    for spec in state.unit_specs():
        assert sent(spec, UnitSpec) == spec


def test_tensors_are_the_live_memory_in_the_order_in_which_it_lies() -> None:
    model = network()
    state = protected(model, optimizer_for(model))
    train(state, model, steps=range(1))
    spec = next(spec for spec in state.unit_specs() if spec.name == "image.weight")
    assert spec.shape == (5, 3, 3, 3)
    assert spec.order == (0, 2, 3, 1)
    assert spec.memory_shape == (5, 3, 3, 3)
    tensors = state.unit_tensors(["image.weight"])
    assert all(tensor.is_contiguous() for tensor in tensors.values())
    weight = model.image.weight
    assert tensors["image.weight"].data_ptr() == weight.data_ptr()
    assert torch.equal(tensors["image.weight"], weight.detach().permute(0, 2, 3, 1))
    assert not tensors["image.weight"].requires_grad


def test_gradients_are_the_live_memory() -> None:
    model = network()
    state = protected(model, optimizer_for(model))
    forward_backward(model, step=0)
    gradients = dict(zip((s.name for s in state.unit_specs()), state.gradients(), strict=True))
    assert gradients["rare.weight"] is None
    for name, gradient in gradients.items():
        grad = model.get_parameter(name).grad
        if gradient is not None and grad is not None:
            assert gradient.is_contiguous()
            assert gradient.data_ptr() == grad.data_ptr()


def test_a_gradient_that_lies_otherwise_is_laid_out_as_its_parameter() -> None:
    model = nn.Linear(5, 3, bias=False)
    state = protected(model, torch.optim.SGD(model.parameters(), lr=0.1))
    values = torch.randn(5, 3).t()
    model.weight.grad = values
    assert not values.is_contiguous()
    (gradient,) = state.gradients()
    assert gradient is not None
    assert gradient.is_contiguous()
    assert torch.equal(gradient, values)
    # the owner's optimizer computes on the same layout as the mirror's
    assert model.weight.grad is not values
    assert model.weight.grad.data_ptr() == gradient.data_ptr()
    assert model.weight.grad.stride() == model.weight.stride()


def test_gradients_can_be_put_in_any_memory_format() -> None:
    model = network()
    state = protected(model, optimizer_for(model))
    forward_backward(model, step=2)
    kept = [None if g is None else g.clone() for g in state.gradients()]
    grads = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    state.discard()
    state.put_gradients(kept)
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None
        assert torch.equal(parameter.grad, grads[name])
        assert parameter.grad.stride() == parameter.stride()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([1, 2], "is a list: only tensors and numbers"),
        ("text", "is a str"),
        (torch.zeros(4, 6)[:, ::2], "is not laid out in memory as its parameter"),
        (torch.eye(4).to_sparse(), "is not laid out in memory as its parameter"),
    ],
    ids=["list", "str", "strided", "sparse"],
)
def test_optimizer_state_that_cannot_be_mirrored_is_named(value: Any, says: str) -> None:
    model = nn.Linear(3, 4, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    state = protected(model, optimizer)
    optimizer.state[model.weight]["odd"] = value
    with pytest.raises(NotProtectable) as caught:
        state.unit_specs()
    assert "optimizer state 'odd' of 'weight'" in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_where_an_optimizer_keeps_its_state_is_found_by_trying(name: str) -> None:
    model = network()
    optimizer = optimizer_for(model, name)
    state = protected(model, optimizer)
    devices = state_devices(optimizer)
    train(state, model, steps=range(1))
    for unit in state._units:
        if unit.state():
            assert devices[unit.group].keys() == unit.state().keys()
    assert {device.type for group in devices for device in group.values()} == {"cpu"}

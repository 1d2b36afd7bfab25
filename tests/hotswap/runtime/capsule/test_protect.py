"""What cannot be protected is refused, in words that say what to do instead."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR
from torch.optim.optimizer import register_optimizer_step_post_hook

from hotswap.errors import NotProtectable, ProtectedChanged
from hotswap.runtime.capsule.protect import check_protectable, check_unchanged
from hotswap.runtime.capsule.state import RankState
from tests.hotswap.runtime.capsule.support import network, optimizer_for


def refused(model: nn.Module, optimizer: Optimizer, **more: object) -> str:
    """Return the message with which a state is refused."""
    with pytest.raises(NotProtectable) as caught:
        RankState(model=model, optimizer=optimizer, **more)  # type: ignore[arg-type]  # any
    return str(caught.value)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (torch.optim.LBFGS, "evaluates the closure several times"),
        (torch.optim.SparseAdam, "takes sparse gradients"),
        (torch.optim.Adafactor, "whole rows and columns"),
        (torch.optim.Muon, "orthogonalises whole matrices"),
    ],
    ids=["LBFGS", "SparseAdam", "Adafactor", "Muon"],
)
def test_optimizers_that_look_beyond_the_element(make: Callable[..., Optimizer], why: str) -> None:
    model = nn.Linear(3, 3, bias=False)
    message = refused(model, make(list(model.parameters())))
    assert why in message
    assert "Take an elementwise optimizer, such as AdamW" in message


def test_every_optimizer_of_torch_is_either_allowed_or_refused_with_a_reason() -> None:
    model = nn.Linear(3, 3, bias=False)
    classes = [
        value
        for value in vars(torch.optim).values()
        if isinstance(value, type) and issubclass(value, Optimizer) and value is not Optimizer
    ]
    assert len(classes) == 15
    for optimizer_class in classes:
        optimizer = optimizer_class(model.parameters())  # type: ignore[call-arg]  # the base wants more
        try:
            check_protectable(model=model, optimizer=optimizer)
        except NotProtectable as error:
            assert "cannot be protected: it " in str(error)  # noqa: PT017 - the others do not raise


def test_an_optimizer_that_nobody_registered() -> None:
    class Mine(torch.optim.SGD):
        pass

    model = nn.Linear(2, 2)
    message = refused(model, Mine(model.parameters(), lr=0.1))
    assert "Mine is not known to be elementwise" in message
    assert "call hotswap.register_elementwise" in message


@pytest.mark.parametrize("flag", ["capturable", "differentiable"])
def test_flags_that_a_mirror_in_host_memory_cannot_follow(flag: str) -> None:
    model = nn.Linear(2, 2)
    flags: dict[str, Any] = {flag: True}
    optimizer = torch.optim.Adam(model.parameters(), **flags)
    assert f"group 0 has {flag}=True" in refused(model, optimizer)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_fused_sgd_on_16_bits(dtype: torch.dtype) -> None:
    model = nn.Linear(2, 2, dtype=dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    assert "is not deterministic on 16-bit parameters" in refused(model, optimizer)


def test_a_parameter_that_the_model_does_not_have() -> None:
    model, other = nn.Linear(2, 2), nn.Linear(5, 3)
    optimizer = torch.optim.SGD([*model.parameters(), *other.parameters()], lr=0.1)
    message = refused(model, optimizer)
    assert (
        "parameter 2 of optimizer group 0 (shape (3, 5)) is not a parameter of the mod" in message
    )


def test_parameters_that_share_memory() -> None:
    model = nn.Module()
    model.one = nn.Parameter(torch.randn(6))
    model.two = nn.Parameter(model.one.data[4:])
    optimizer = torch.optim.SGD([{"params": [model.one]}, {"params": [model.two]}], lr=0.1)
    message = refused(model, optimizer)
    assert "'one' (group 0) and 'two' (group 1) share memory" in message


def test_neighbours_in_one_storage_share_nothing() -> None:
    storage = torch.randn(6)
    model = nn.Module()
    model.one = nn.Parameter(storage[:4])
    model.two = nn.Parameter(storage[4:])
    model.empty = nn.Parameter(storage[2:2])
    check_protectable(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))


def test_tied_weights_are_one_parameter() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    model[1].weight = model[0].weight
    check_protectable(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))


def test_a_parameter_with_gaps_in_memory() -> None:
    model = nn.Module()
    model.one = nn.Parameter(torch.randn(4, 4)[:, ::2])
    state = RankState(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))
    with pytest.raises(NotProtectable, match="make it contiguous"):
        state.unit_specs()


@pytest.mark.parametrize("layer", [nn.Embedding, nn.EmbeddingBag])
def test_sparse_gradients(layer: Callable[..., nn.Module]) -> None:
    model = nn.Sequential(layer(3, 3, sparse=True))
    message = refused(model, torch.optim.SGD(model.parameters(), lr=0.1))
    assert "'0' has sparse gradients" in message
    assert "sparse=False" in message


def test_sparse_gradients_that_come_unannounced() -> None:
    model = nn.Linear(2, 2, bias=False)
    state = RankState(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))
    model.weight.grad = torch.eye(2).to_sparse()
    with pytest.raises(NotProtectable, match="the gradient of 'weight' has layout"):
        state.gradients()


def test_a_scheduler_that_needs_a_metric() -> None:
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    message = refused(model, optimizer, scheduler=ReduceLROnPlateau(optimizer))
    assert "step it in after_step" in message


def test_a_scheduler_of_another_optimizer() -> None:
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    other = torch.optim.SGD(model.parameters(), lr=0.1)
    assert "governs another optimizer" in refused(model, optimizer, scheduler=StepLR(other, 2))


def test_extra_objects_without_state_dict() -> None:
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    message = refused(model, optimizer, extra={"counter": object()})
    assert message.startswith("counter (object) has no state_dict and no load_state_dict")


def test_hooks_on_the_optimizer() -> None:
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    handle = optimizer.register_step_pre_hook(lambda *_: None)
    assert "has step hooks; a mirror would not run it" in refused(model, optimizer)
    handle.remove()
    state = RankState(model=model, optimizer=optimizer)
    state.check_unchanged()
    handle = register_optimizer_step_post_hook(lambda *_: None)
    try:
        with pytest.raises(ProtectedChanged, match="a step hook was added"):
            state.check_unchanged()
    finally:
        handle.remove()


def add_a_group(model: nn.Module, optimizer: Optimizer) -> None:
    del model
    optimizer.add_param_group({"params": [nn.Parameter(torch.zeros(2))]})


def add_a_parameter_to_a_group(model: nn.Module, optimizer: Optimizer) -> None:
    optimizer.param_groups[1]["params"].append(model.get_parameter("first.weight"))


def exchange_a_group(model: nn.Module, optimizer: Optimizer) -> None:
    del model
    group = optimizer.param_groups[1]
    group["params"] = list(group["params"])


def add_a_parameter_to_the_model(model: nn.Module, optimizer: Optimizer) -> None:
    del optimizer
    model.extra = nn.Linear(2, 2)


def lose_a_parameter(model: nn.Module, optimizer: Optimizer) -> None:
    del optimizer
    del model.rare


def change_the_implementation(model: nn.Module, optimizer: Optimizer) -> None:
    del model
    optimizer.param_groups[0]["foreach"] = True


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (add_a_group, "2 groups when it was protected, now 3 (with one of shape (2,))"),
        (add_a_parameter_to_a_group, "now another list of 7 (with first.weight)"),
        (exchange_a_group, "now another list of 6 (with no other parameters)"),
        (add_a_parameter_to_the_model, "gained or lost extra.bias, extra.weight"),
        (lose_a_parameter, "gained or lost rare.weight"),
        (change_the_implementation, "one of foreach, fused, capturable, differentiable has chang"),
    ],
)
def test_what_changes_later_is_refused(
    change: Callable[[nn.Module, Optimizer], None], says: str
) -> None:
    model = network()
    optimizer = optimizer_for(model)
    baseline = check_protectable(model=model, optimizer=optimizer)
    check_unchanged(baseline, model=model, optimizer=optimizer)
    change(model, optimizer)
    with pytest.raises(ProtectedChanged) as caught:
        check_unchanged(baseline, model=model, optimizer=optimizer)
    assert says in str(caught.value)


def test_hyperparameters_and_loading_are_no_change() -> None:
    model = network()
    optimizer = optimizer_for(model)
    baseline = check_protectable(model=model, optimizer=optimizer)
    optimizer.param_groups[0].update(lr=1.0, betas=(0.5, 0.5))
    optimizer.load_state_dict(optimizer.state_dict())
    check_unchanged(baseline, model=model, optimizer=optimizer)


def test_a_gradient_of_another_dtype() -> None:
    model = nn.Linear(2, 2, bias=False)
    state = RankState(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))

    class Other:
        grad: Tensor = torch.zeros(2, 2, dtype=torch.float64)

    with pytest.raises(NotProtectable, match=r"is torch\.float64, the parameter torch\.float32"):
        state._units[0]._check_gradient(Other.grad)

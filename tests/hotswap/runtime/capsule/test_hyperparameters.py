"""Hyperparameters travel exactly, whatever a script made them of."""

import numpy as np
import pytest
import torch
from torch import nn

from hotswap.errors import NotProtectable
from hotswap.runtime.capsule.hyperparameters import (
    Hyperparameters,
    TensorScalar,
    hyperparameters_of,
    live_value,
    plain_values,
)
from tests.hotswap.runtime.capsule.support import network, optimizer_for, sent

CPU = torch.device("cpu")


def test_what_travels_is_what_there_was() -> None:
    model = network()
    optimizer = optimizer_for(model, "AdamW", lr=torch.tensor([0.1]), fused=True)
    optimizer.param_groups[1].update(lr=5e-324, note="decay", count=2**62, on=True, limit=-0.0)
    optimizer.param_groups[1]["betas"] = (0.1, float("inf"))
    found = hyperparameters_of(optimizer)
    assert sent(found, Hyperparameters) == found
    assert found.threads == torch.get_num_threads()
    first, second = found.groups
    assert first["lr"] == TensorScalar(value=torch.tensor(0.1).item(), dtype="float32", shape=(1,))
    assert second["betas"] == (0.1, float("inf"))
    assert type(sent(found, Hyperparameters).groups[1]["count"]) is int
    assert type(sent(found, Hyperparameters).groups[1]["on"]) is bool
    assert "params" not in first


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_a_tensor_comes_back_as_it_was(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    lr = torch.full(shape, 1 / 3 if dtype.is_floating_point else 3, dtype=dtype)
    back = live_value(plain_values({"lr": lr}, path="group")["lr"], device=CPU)
    assert isinstance(back, torch.Tensor)
    assert back.dtype == dtype
    assert torch.equal(back, lr)


def test_tensors_inside_tuples_come_back_too() -> None:
    betas = (torch.tensor(0.9), torch.tensor(0.99))
    back = live_value(plain_values({"betas": betas}, path="group")["betas"], device=CPU)
    assert isinstance(back, tuple)
    assert all(torch.equal(one, other) for one, other in zip(back, betas, strict=True))


def test_numpys_float64_becomes_a_float() -> None:
    value = plain_values({"lr": np.float64(0.1)}, path="group")["lr"]
    assert type(value) is float
    assert value == 0.1


def test_names_of_parameters_stay_at_home() -> None:
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.named_parameters(), lr=0.1)
    assert "param_names" in optimizer.param_groups[0]
    assert "param_names" not in hyperparameters_of(optimizer).groups[0]


@pytest.mark.parametrize("value", [object(), {"a": 1}, torch.zeros(2), np.float32(1), [[1]], 1j])
def test_anything_else_is_refused_by_its_path(value: object) -> None:
    with pytest.raises(NotProtectable, match=r"group\['odd'\]"):
        plain_values({"odd": value}, path="group")

"""Owner and mirror hold the same bits: every optimizer, implementation and dtype."""

import inspect
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from hotswap.runtime.capsule.numerics import intra_op_threads
from hotswap.runtime.capsule.state import RankState
from hotswap.runtime.capsule.tensors import same_bits
from tests.hotswap.runtime.capsule.support import (
    FUSED,
    IMPLEMENTATIONS,
    OPTIMIZERS,
    STEPS,
    Mirror,
    cloned,
    differing,
    forward_backward,
    network,
    optimizer_for,
    protected,
)

CASES = [
    pytest.param(name, implementation, dtype, id=f"{name}, {implementation}, {dtype}")
    for name in OPTIMIZERS
    for implementation in IMPLEMENTATIONS
    for dtype in (torch.float32, torch.bfloat16, torch.float16)
    if implementation != "fused"
    # torch's fused SGD is broken for 16 bits, and refused
    or (name in FUSED and not (name == "SGD" and dtype != torch.float32))
]


@pytest.mark.parametrize(("name", "implementation", "dtype"), CASES)
def test_a_mirror_copied_unit_by_unit_holds_the_owners_bits(
    name: str, implementation: str, dtype: torch.dtype
) -> None:
    arguments: dict[str, Any] = dict(IMPLEMENTATIONS[implementation])
    model = network(dtype=dtype)
    if implementation == "fused" and name == "SGD":
        # torch's own limit: every first gradient has to come in the same step
        model.rare_in = 0
    if dtype == torch.float16 and "eps" in inspect.signature(getattr(torch.optim, name)).parameters:
        # the default is 0 in this dtype, and divides by it
        arguments["eps"] = 1e-4
    state = protected(model, optimizer_for(model, name, **arguments))
    mirror = Mirror(state)
    start = cloned(state.unit_tensors())
    left = [spec.name for spec in state.unit_specs()]
    for step in range(STEPS):
        if step >= 2:
            # some of the units in each of three steps, while the training goes on
            mirror.copy(left[:4])
            del left[:4]
        forward_backward(model, step=step)
        if step >= 1:
            mirror.log()
            mirror.replay.apply()
        state.apply()
        assert differing(present(mirror, state.unit_tensors()), present(mirror)) == []
    assert mirror.replay.complete
    assert mirror.replay.version == state.version == STEPS
    # and it was no idle run: the matrices have moved (16 bits round smaller steps away), every unit
    # has state that has changed, and nothing is NaN
    units = state.unit_tensors()
    changed = differing(start, units)
    assert set(changed) >= {"first.weight", "image.weight", "rare.weight", "last.weight"}
    assert {name.split("/")[0] for name in changed} == {spec.name for spec in state.unit_specs()}
    assert all(tensor.isfinite().all() for tensor in units.values())


def present(mirror: Mirror, tensors: dict[str, Tensor] | None = None) -> dict[str, Tensor]:
    """Return those of ``tensors``, by default the mirror's, whose unit the mirror has."""
    missing = mirror.replay.missing()
    held = mirror.replay.tensors() if tensors is None else tensors
    return {name: tensor for name, tensor in held.items() if name.split("/")[0] not in missing}


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    ("name", "arguments", "dtype"),
    [
        ("AdamW", {"fused": True}, torch.float32),
        ("SGD", {}, torch.bfloat16),
        ("RMSprop", {}, torch.bfloat16),
    ],
    ids=str,
)
def test_the_mirror_splits_its_work_as_the_owner_does(
    name: str, arguments: dict[str, bool], dtype: torch.dtype, threads: int
) -> None:
    # Large enough for several threads to share, and not a multiple of anything: the elements at
    # the seams are rounded otherwise than their neighbours.
    model = nn.Linear(100_003, 1, bias=False).to(dtype)
    optimizer = getattr(torch.optim, name)(model.parameters(), **{**OPTIMIZERS[name], **arguments})
    state = RankState(model=model, optimizer=optimizer)
    mirror = Mirror(state)
    mirror.copy(["weight"])
    assert torch.get_num_threads() == 1
    for step in range(4):
        generator = torch.Generator().manual_seed(step)
        gradient = torch.randn(1, 100_003, generator=generator).to(dtype)
        model.weight.grad = gradient
        with intra_op_threads(threads):
            mirror.log()
            state.apply()
        mirror.replay.apply()
        assert torch.get_num_threads() == 1
    assert differing(state.unit_tensors(), mirror.replay.tensors()) == []


def test_where_the_work_is_split_decides_bits() -> None:
    # What the test above relies on: without the owner's number of threads, bits differ.
    weights = []
    for threads in (1, 3):
        weight = torch.linspace(-1, 1, 100_003).to(torch.bfloat16)
        optimizer = torch.optim.SGD([weight], lr=0.05, momentum=0.9, nesterov=True)
        for step in range(4):
            generator = torch.Generator().manual_seed(step)
            weight.grad = torch.randn(100_003, generator=generator).to(torch.bfloat16)
            with intra_op_threads(threads):
                optimizer.step()
        weights.append(weight)
    assert not same_bits(*weights)


@pytest.mark.parametrize("name", ["AdamW", "SGD"])
def test_a_learning_rate_in_a_tensor_stays_one(name: str) -> None:
    model = network()
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=torch.tensor(0.01), fused=True)
    state = RankState(model=model, optimizer=optimizer)
    mirror = Mirror(state)
    mirror.copy(spec.name for spec in state.unit_specs())
    for step in range(3):
        optimizer.param_groups[0]["lr"].fill_(0.01 / (step + 1))
        forward_backward(model, step=step)
        mirror.log()
        mirror.replay.apply()
        state.apply()
    assert differing(state.unit_tensors(), mirror.replay.tensors()) == []


def test_complex_parameters_are_replayed_too() -> None:
    weight = nn.Parameter(torch.view_as_complex(torch.randn(65, 2)))
    model = nn.ParameterDict({"weight": weight})
    state = RankState(model=model, optimizer=torch.optim.AdamW([weight], lr=0.1))
    mirror = Mirror(state)
    mirror.copy(["weight"])
    for _ in range(3):
        torch.autograd.backward((weight * weight.conj()).real.sum())
        mirror.log()
        mirror.replay.apply()
        state.apply()
    assert differing(state.unit_tensors(), mirror.replay.tensors()) == []

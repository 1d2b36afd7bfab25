"""How an optimizer is described, built again, and put to the proof."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from hotswap.errors import NotProtectable
from hotswap.runtime.capsule import optimizers
from hotswap.runtime.capsule.optimizers import (
    OptimizerSpec,
    build_optimizer,
    optimizer_spec_of,
    register_elementwise,
)
from hotswap.runtime.capsule.probe import probe_optimizer
from hotswap.runtime.capsule.state import RankState
from tests.hotswap.runtime.capsule.support import (
    FUSED,
    IMPLEMENTATIONS,
    OPTIMIZERS,
    Mirror,
    differing,
    forward_backward,
    network,
    optimizer_for,
    sent,
)

CPU = torch.device("cpu")
Step = Callable[["Scripted", Tensor, dict[str, Any]], None]


class Scripted(Optimizer):
    """An optimizer of the script's own; what it does to a parameter is a class attribute."""

    rule: Step

    def __init__(self, parameters: Any, lr: float = 0.1) -> None:
        super().__init__(parameters, {"lr": lr})
        self.taken = 0

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # no closure here
        del closure
        self.taken += 1
        for group in self.param_groups:
            group["taken"] = group.get("taken", 0) + 1
            for parameter in group["params"]:
                if parameter.grad is not None:
                    type(self).rule(self, parameter, group)


def scripted(rule: Step) -> type[Scripted]:
    return type("Mine", (Scripted,), {"rule": staticmethod(rule)})


def sign_descent(optimizer: Scripted, parameter: Tensor, group: dict[str, Any]) -> None:
    """An honest one: elementwise, with numbers, None and tensors for state."""
    state = optimizer.state[parameter]
    state["steps"] = state.get("steps", 0) + 1
    state["scale"] = state.get("scale", 1.0) * 0.9
    state["warm"] = state["steps"] > 2
    state["nothing"] = None
    state.setdefault("average", torch.zeros_like(parameter)).lerp_(parameter.grad, 0.1)
    rate = group["lr"] * state["scale"] / group["taken"]
    parameter.add_(state["average"].sign(), alpha=-rate)


def noisy(optimizer: Scripted, parameter: Tensor, group: dict[str, Any]) -> None:
    del optimizer
    parameter.add_(torch.randn_like(parameter), alpha=-group["lr"])


def normalised(optimizer: Scripted, parameter: Tensor, group: dict[str, Any]) -> None:
    del optimizer
    assert parameter.grad is not None
    parameter.sub_(group["lr"] * parameter.grad / parameter.grad.norm())


def secretive(optimizer: Scripted, parameter: Tensor, group: dict[str, Any]) -> None:
    assert parameter.grad is not None
    parameter.sub_(parameter.grad, alpha=group["lr"] / optimizer.taken)


@pytest.fixture(autouse=True)
def _registrations_end_with_the_test() -> Iterator[None]:
    before = dict(optimizers._registered)
    yield
    optimizers._registered.clear()
    optimizers._registered.update(before)


def test_a_registered_optimizer_is_mirrored() -> None:
    mine = register_elementwise(scripted(sign_descent))
    model = network()
    state = RankState(model=model, optimizer=mine(model.parameters()))
    mirror = Mirror(state)
    names = [spec.name for spec in state.unit_specs()]
    for step in range(4):
        mirror.copy(names[step::3] if step < 3 else [])
        forward_backward(model, step=step)
        mirror.log()
        mirror.replay.apply()
        state.apply()
    assert mirror.replay.complete
    assert differing(state.unit_tensors(), mirror.replay.tensors()) == []
    kinds = {entry.key: entry.kind for entry in state.unit_specs()[0].state}
    assert kinds == {
        "steps": "int",
        "scale": "float",
        "warm": "bool",
        "nothing": "none",
        "average": "tensor",
    }


def test_its_state_can_be_loaded() -> None:
    mine = register_elementwise(scripted(sign_descent))
    states = []
    for seed in (0, 9):
        model = network(seed=seed)
        states.append(RankState(model=model, optimizer=mine(model.parameters())))
        for step in range(3 - seed // 9):
            forward_backward(model, step=step)
            states[-1].apply()
    source, target = states
    target.load(
        version=3,
        units=source.unit_specs(),
        tensors=source.unit_tensors(),
        buffers=source.buffers.tensors(),
        small=source.small_state(),
    )
    live = [dict(unit.state()) for unit in target._units]
    wanted = [dict(unit.state()) for unit in source._units]
    for one, other in zip(live, wanted, strict=True):
        one.pop("average", None)
        other.pop("average", None)
        assert one == other
        assert {type(v) for v in one.values()} == {type(v) for v in other.values()}
    assert differing(source.unit_tensors(), target.unit_tensors()) == []


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (noisy, "is not deterministic: it draws random numbers"),
        (normalised, "is not elementwise: an element depends on others beside it"),
        (secretive, r"keeps state outside optimizer\.state\[parameter\]"),
    ],
)
def test_a_registered_optimizer_is_put_to_the_proof(rule: Step, why: str) -> None:
    mine = register_elementwise(scripted(rule))
    model = nn.Linear(3, 3)
    random = torch.random.get_rng_state()
    with pytest.raises(NotProtectable, match=why):
        RankState(model=model, optimizer=mine(model.parameters()))
    assert torch.equal(torch.random.get_rng_state(), random)


CASES = [
    (name, implementation)
    for name in OPTIMIZERS
    for implementation in IMPLEMENTATIONS
    if implementation != "fused" or name in FUSED
]


@pytest.mark.parametrize(("name", "implementation"), CASES)
def test_every_optimizer_of_torch_would_pass_the_proof(name: str, implementation: str) -> None:
    model = network()
    optimizer = optimizer_for(model, name, **IMPLEMENTATIONS[implementation])
    probe_optimizer(optimizer_spec_of(optimizer), dtype=torch.float32)


@pytest.mark.parametrize(("name", "implementation"), CASES)
def test_a_description_builds_the_same_optimizer(name: str, implementation: str) -> None:
    model = network()
    optimizer = optimizer_for(model, name, **IMPLEMENTATIONS[implementation])
    spec = sent(optimizer_spec_of(optimizer), OptimizerSpec)
    built = build_optimizer(spec, [[torch.zeros(1)], [torch.zeros(1)]], device=CPU)
    assert type(built) is type(optimizer)
    assert built.defaults == optimizer.defaults
    for one, other in zip(built.param_groups, optimizer.param_groups, strict=True):
        wanted = {key: value for key, value in other.items() if key != "params"}
        flags = ("foreach", "fused")
        found = {key: value for key, value in one.items() if key != "params"}
        assert {k: v for k, v in found.items() if k not in flags} == {
            k: v for k, v in wanted.items() if k not in flags
        }
        assert all(bool(found.get(flag)) == bool(wanted.get(flag)) for flag in flags)


def test_a_flag_left_open_is_resolved_to_what_the_owner_does() -> None:
    model = network()
    spec = optimizer_spec_of(torch.optim.AdamW(model.parameters()))
    assert spec.groups[0]["foreach"] is None
    assert spec.flags[0]["foreach"] is False
    assert spec.flags[0]["fused"] is False


def test_a_group_may_override_a_flag() -> None:
    model = network()
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(
        [{"params": parameters[:2], "fused": True}, {"params": parameters[2:], "foreach": True}]
    )
    spec = optimizer_spec_of(optimizer)
    assert [(flags["fused"], flags["foreach"]) for flags in spec.flags] == [
        (True, False),
        (False, True),
    ]


def test_hyperparameters_of_odd_types_are_refused_by_path() -> None:
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD([{"params": model.parameters(), "name": object()}], lr=0.1)
    with pytest.raises(NotProtectable, match=r"optimizer\.param_groups\[0\]\['name'\] is a object"):
        RankState(model=model, optimizer=optimizer)


def test_after_the_warm_up_a_first_optimizer_loads_nothing_of_weight() -> None:
    """In a process of its own: in this one everything is loaded."""
    program = """
import sys, torch
from hotswap.runtime.capsule.optimizers import warm_up
warm_up()
before = set(sys.modules)
parameter = torch.zeros(2)
parameter.grad = torch.ones(2)
torch.optim.AdamW([parameter]).step()
print(len(set(sys.modules) - before))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert int(done.stdout) < 20

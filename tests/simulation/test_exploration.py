"""Every interleaving of a job of three members, to the bounds below: the invariants always hold.

The job has two owners and one standby that mirrors both, a leader and a coordinator standing by. It
has begun, and is about to compute its first step. From there on everything that can happen next is
tried: each message and bundle may be received at any time after those before it, each vote seen,
each process crash, and so on, as often as the bound says. Connections lose what is under way when
they break. A bound with ``silent`` leaves out the reports of committed steps: the leader then knows
less of them. Owners that no fault has told apart are exchanged for one another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from hotswap.wire import messages
from tests.simulation.begin import begin
from tests.simulation.explore import explore, written
from tests.simulation.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """How far an exploration goes."""

    name: str
    # steps that the job commits
    steps: int = 1
    # how often each kind of fault, or wish of an operator, may happen
    budget: Mapping[str, int] = field(default_factory=dict)
    silent: bool = True
    # states that were seen when this was written, less a hundredth: exploring nothing is found
    states_min: int


BOUNDS = [
    Bound(name="no fault", steps=3, silent=False, states_min=278),
    Bound(name="two crashes, one partition", budget={"crash": 2, "cut": 1}, states_min=151_932),
    Bound(
        name="crash, reported steps", steps=2, budget={"crash": 1}, silent=False, states_min=7_179
    ),
    Bound(name="two crashes, reported steps", budget={"crash": 2}, silent=False, states_min=10_717),
    Bound(
        name="crash, slow mirror", steps=2, budget={"crash": 1, "slow_mirror": 1}, states_min=8_257
    ),
    Bound(name="crash, collective fails", budget={"crash": 1, "glitch": 1}, states_min=21_192),
    Bound(name="crash, member taken for lost", budget={"crash": 1, "suspect": 1}, states_min=5_404),
    Bound(name="crash, two leaders", budget={"crash": 1, "usurp": 1}, states_min=11_005),
    Bound(name="swap, reported steps", steps=2, budget={"swap": 1}, silent=False, states_min=5_967),
    Bound(name="swap, abort", steps=2, budget={"swap": 1, "abort": 1}, states_min=9_296),
    Bound(name="swap, crash", budget={"swap": 1, "crash": 1}, states_min=5_896),
    Bound(name="swap, partition", budget={"swap": 1, "cut": 1}, states_min=29_500),
    Bound(name="swap, collective fails", budget={"swap": 1, "glitch": 1}, states_min=17_750),
    Bound(name="swap, two leaders", budget={"swap": 1, "usurp": 1}, states_min=6_786),
]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.name.replace(" ", "-"))
def test_every_interleaving_keeps_the_invariants_and_comes_to_an_end(
    bound: Bound,
) -> None:
    world = begin(World(ranks=2, standbys=1, steps=bound.steps))
    world.budget = dict(bound.budget)
    if bound.silent:
        world.unsaid = (messages.ProtectionLost, messages.Committed)
    if "swap" not in bound.budget:
        world.alike = frozenset({"r0", "r1"})
    seen = explore(world)
    # pytest -rP shows it
    print(f"{bound.name}: {seen.states} states, {seen.transitions} transitions")
    assert seen.stuck is None, f"nobody can go on after:\n{written(seen.stuck or ())}"
    assert seen.states >= bound.states_min

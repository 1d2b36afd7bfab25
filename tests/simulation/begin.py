"""Worlds in which a job has begun, for those who want to see what comes then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hotswap.wire import messages
from tests.simulation import runtime
from tests.simulation.actions import FAULTS, act, possible

if TYPE_CHECKING:
    from tests.simulation.world import World


def settle(world: World) -> None:
    """Let everything happen that can, without faults, in a fixed order."""
    while True:
        action = next((each for each in possible(world) if each[0] not in FAULTS), None)
        if action is None:
            return
        act(world, action)


def begin(world: World) -> World:
    """Let the job begin and every rank be protected; the first step is about to be computed."""
    world.terse = True
    world.unsaid = (messages.ProtectionLost,)
    steps, world.steps = world.steps, 0
    settle(world)
    for name, node in list(world.nodes.items()):
        for mirror in sorted(node.linked):
            runtime.push(world, name, mirror, "copy", node.core.epoch, 0)
    settle(world)
    unprotected = [n.name for n in world.nodes.values() if n.linked != n.copied]
    assert not unprotected, f"{unprotected} are not protected"
    world.steps = steps
    for name, node in list(world.nodes.items()):
        if node.core.running:
            runtime.compute(world, name)
    return world

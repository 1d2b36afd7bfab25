"""Every interleaving of a small world, to a stated bound.

Depth first; a state that was seen is not entered again. The invariants are checked in each state
and at each transition. Afterwards every state must be able to reach, without another fault, a state
in which the job has come to its end, or too few processes live: nobody waits for ever.
"""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.simulation.actions import FAULTS, act, possible
from tests.simulation.checks import Violation, check_owners

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.simulation.world import Action, World


@dataclass(slots=True)
class Explored:
    """What was seen."""

    states: int = 0
    transitions: int = 0
    depth: int = 0
    # states in which the job had come to its end
    ends: int = 0
    # actions that led to a state from which no end can be reached
    stuck: Sequence[Action] | None = None


@dataclass(slots=True)
class _Graph:
    """States by number, and the steps between them that are no faults."""

    numbers: dict[int, int] = field(default_factory=dict)
    sources: array[int] = field(default_factory=lambda: array("I"))
    targets: array[int] = field(default_factory=lambda: array("I"))
    parents: array[int] = field(default_factory=lambda: array("I"))
    actions: list[Action] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def trace(self, number: int) -> list[Action]:
        """Return the actions that led to a state when it was first seen."""
        actions = []
        while number:
            actions.append(self.actions[number])
            number = self.parents[number]
        return actions[::-1]


def explore(world: World, *, states_max: int = 10_000_000) -> Explored:
    """Explore from ``world``; raise a Violation that names the actions which lead to it."""
    graph, seen = _Graph(), Explored()
    _enter(graph, world, world.key(), parent=0, action=())
    stack = [(world, 0, iter(list(possible(world))))]
    while stack:
        here, number, actions = stack[-1]
        seen.depth = max(seen.depth, len(stack))
        action = next(actions, None)
        if action is None:
            stack.pop()
            continue
        there = here.clone()
        try:
            act(there, action)
            check_owners(there)
        except (Violation, AssertionError) as violation:
            trace = written([*graph.trace(number), action])
            raise Violation(f"{violation}; after:\n{trace}") from violation
        seen.transitions += 1
        key = there.key()
        known = graph.numbers.get(key)
        if known is None:
            known = _enter(graph, there, key, parent=number, action=action)
            stack.append((there, known, iter(list(possible(there)))))
            assert known < states_max, f"more than {states_max} states"
        if action[0] not in FAULTS:
            graph.sources.append(number)
            graph.targets.append(known)
    seen.states, seen.ends = len(graph.numbers), len(graph.ends)
    seen.stuck = _stuck(graph)
    return seen


def _enter(graph: _Graph, world: World, key: int, *, parent: int, action: Action) -> int:
    number = len(graph.numbers)
    graph.numbers[key] = number
    graph.parents.append(parent)
    graph.actions.append(action)
    if is_end(world):
        graph.ends.append(number)
    return number


def is_end(world: World) -> bool:
    """Whether every step is committed, or too few processes live to go on."""
    present = [node for node in world.nodes.values() if node.present]
    covered = {node.core.rank for node in present} - {None}
    standbys = sum(node.core.rank is None for node in present)
    if len(covered) + standbys < world.ranks:
        return True
    if not any(office.alive for office in world.offices.values()):
        return True
    leader = world.leader()
    job = None if leader is None else world.offices[leader].core.job
    if job is not None and job.phase == "failed":
        return world.checkpoint is None
    if job is not None and job.phase == "forming":
        # Nobody but the launcher knows of a process that has died before it could say hello.
        return any(
            not node.alive and node.core.identity.wanted_rank not in (None, *job.forfeited)
            for node in world.nodes.values()
        )
    owners = [node for node in present if node.core.running]
    epoch = max((node.core.epoch for node in owners), default=0)
    done = {
        node.core.rank
        for node in owners
        if node.core.epoch == epoch and node.core.committed == world.steps
    }
    return len(done) == world.ranks


def _stuck(graph: _Graph) -> list[Action] | None:
    """Return how to get to a state from which no end can be reached; None: there is none."""
    before: dict[int, list[int]] = {}
    for source, target in zip(graph.sources, graph.targets, strict=True):
        before.setdefault(target, []).append(source)
    reaches = bytearray(len(graph.numbers))
    queue = deque(graph.ends)
    for number in graph.ends:
        reaches[number] = 1
    while queue:
        for source in before.get(queue.popleft(), ()):
            if not reaches[source]:
                reaches[source] = 1
                queue.append(source)
    number = reaches.find(0)
    return None if number < 0 else graph.trace(number)


def written(actions: Iterable[Action]) -> str:
    """Return actions as lines."""
    return "\n".join(f"  {' '.join(action)}" for action in actions)

"""States and what leads from one to another, as a table that is written once.

Pure. The table is the only source of what can be done: services ask it for a target and name its
sources in their guarded UPDATE, and it is rendered to diagram, TypeScript and constraint by
``core.renderings``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from apps.core.errors import TransitionRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One line of a table. Derive from it to add columns, such as who may do it."""

    # what is done, as a verb: "approve"
    action: str
    # states in which it can be done
    sources: tuple[str, ...]
    # the state afterwards
    target: str


LineT = TypeVar("LineT", bound=Transition)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Generic[LineT]):
    """A state machine. Raises ValueError when it is made and makes no sense."""

    # every state, in the order in which a person meets them
    states: tuple[str, ...]
    # every transition; an action occurs once per source
    transitions: tuple[LineT, ...]
    # where it begins; more than one where things begin in different ways
    initial: tuple[str, ...]
    # states that nothing leaves
    terminal: frozenset[str]

    def __post_init__(self) -> None:
        """Check the table."""
        problems = [*_unknown(self), *_ambiguous(self), *_stuck(self)]
        if problems:
            raise ValueError("; ".join(problems))

    def find(self, action: str, state: str) -> LineT:
        """Return the line for an action in a state.

        Raises:
            TransitionRefused: if the action can't be done in the state.
        """
        for line in self.transitions:
            if line.action == action and state in line.sources:
                return line
        allowed = [line.action for line in self.allowed(state)]
        raise TransitionRefused(state=state, action=action, allowed=allowed)

    def target(self, action: str, state: str) -> str:
        """Return the state after an action. Raises TransitionRefused as ``find`` does."""
        return self.find(action, state).target

    def allowed(self, state: str) -> tuple[LineT, ...]:
        """Return what can be done in a state."""
        return tuple(line for line in self.transitions if state in line.sources)

    def sources(self, action: str) -> tuple[str, ...]:
        """Return the states in which an action can be done, in the order of ``states``."""
        found = {
            source for line in self.transitions if line.action == action for source in line.sources
        }
        return tuple(state for state in self.states if state in found)

    @property
    def actions(self) -> tuple[str, ...]:
        """Every action, in the order of the table."""
        return tuple(dict.fromkeys(line.action for line in self.transitions))

    @property
    def open_states(self) -> tuple[str, ...]:
        """States that something still leaves."""
        return tuple(state for state in self.states if state not in self.terminal)


def _unknown(table: Table[LineT]) -> Iterable[str]:
    used = [*table.initial, *table.terminal]
    for line in table.transitions:
        used += [*line.sources, line.target]
    yield from (f"unknown state {state}" for state in sorted({*used} - {*table.states}))


def _ambiguous(table: Table[LineT]) -> Iterable[str]:
    seen = set()
    for line in table.transitions:
        for source in line.sources:
            if (line.action, source) in seen:
                yield f"{line.action} stands twice for {source}"
            seen.add((line.action, source))


def _stuck(table: Table[LineT]) -> Iterable[str]:
    """Yield states that nothing reaches or leaves, and terminal ones that something leaves."""
    reached = {*table.initial}
    reached |= _closure(reached, table, forward=True)
    ending = _closure({*table.terminal}, table, forward=False)
    for state in table.states:
        if state not in reached:
            yield f"nothing leads to {state}"
        if state not in ending:
            yield f"{state} never ends"
        if state in table.terminal and table.allowed(state):
            yield f"{state} is terminal, but something leaves it"


def _closure(states: set[str], table: Table[LineT], *, forward: bool) -> set[str]:
    """Return every state that can be reached from some (forward), or that reaches one of them."""
    found = set(states)
    for _ in table.states:
        for line in table.transitions:
            if forward and found & {*line.sources}:
                found.add(line.target)
            elif not forward and line.target in found:
                found |= {*line.sources}
    return found

"""What state a node is in, and what leads from one to another."""

from enum import StrEnum
from typing import Final

from apps.core.errors import TransitionRefused
from apps.core.transitions import Table, Transition


class NodeState(StrEnum):
    """What a node may be used for."""

    # takes ranks
    ACTIVE = "active"
    # keeps the ranks that it has, takes no new ones
    DRAINING = "draining"
    # must not be used: something is wrong with it
    QUARANTINED = "quarantined"
    # somebody works on it
    MAINTENANCE = "maintenance"
    # gone for good
    RETIRED = "retired"


TABLE: Final = Table(
    states=tuple(state.value for state in NodeState),
    transitions=(
        Transition(
            action="activate", sources=("draining", "quarantined", "maintenance"), target="active"
        ),
        Transition(action="drain", sources=("active",), target="draining"),
        Transition(
            action="quarantine", sources=("active", "draining", "maintenance"), target="quarantined"
        ),
        Transition(
            action="maintain", sources=("active", "draining", "quarantined"), target="maintenance"
        ),
        Transition(
            action="retire",
            sources=("active", "draining", "quarantined", "maintenance"),
            target="retired",
        ),
    ),
    initial=("active", "draining", "quarantined", "maintenance"),
    terminal=frozenset({"retired"}),
)

# states in which a node must hold no rank: whoever wants it there swaps the ranks out first
EMPTY_STATES: Final = frozenset({NodeState.MAINTENANCE, NodeState.RETIRED})


def node_action(*, state: NodeState, target: NodeState) -> str:
    """Return the action that leads from one state to another.

    Raises:
        TransitionRefused: if none does.
    """
    allowed = TABLE.allowed(state.value)
    for line in allowed:
        if line.target == target.value:
            return line.action
    raise TransitionRefused(
        state=state.value, action=target.value, allowed=[line.target for line in allowed]
    )

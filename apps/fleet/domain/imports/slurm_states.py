"""Slurm's states of a node as ours: what Slurm does not know is never active."""

from typing import Final

from apps.fleet.domain.states import NodeState

# what sinfo and scontrol put behind a state: not responding, powered down, reboot and so on
_SUFFIXES: Final = "*~#!%$@^-+"

_NOT_HERE: Final = frozenset({"FUTURE"})
_BROKEN: Final = frozenset(
    {"DOWN", "ERROR", "FAIL", "FAILING", "INVAL", "INVALID_REG", "NOT_RESPONDING", "NO_RESPOND"}
)
_MAINTAINED: Final = frozenset({"MAINT", "MAINTENANCE"})
_DRAINING: Final = frozenset({"DRAIN", "DRAINED", "DRAINING"})
_IN_USE: Final = frozenset({"IDLE", "ALLOCATED", "MIXED", "COMPLETING", "PLANNED", "RESERVED"})


def slurm_state(text: str) -> NodeState | None:
    """Return our state for Slurm's ``IDLE+DRAIN``; None: the node does not exist yet."""
    words = {word.strip(_SUFFIXES) for word in text.upper().split("+")}
    if words & _NOT_HERE:
        return None
    if words & _MAINTAINED:
        return NodeState.MAINTENANCE
    # an asterisk: it does not answer
    if words & _BROKEN or "*" in text:
        return NodeState.QUARANTINED
    if words & _DRAINING:
        return NodeState.DRAINING
    return NodeState.ACTIVE if words & _IN_USE else NodeState.QUARANTINED

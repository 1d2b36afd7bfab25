"""In which order the units of a rank are copied to its mirror.

A *unit* is one parameter with its optimizer state. It is copied whole at one version, and the
gradients of later steps are logged to the mirror from that version on. So the order decides how
much there is to replay: what has fallen behind furthest goes first, and among equals what the
gradients are moving most, since that is where an old copy is most wrong.

Everything here is pure: no clock, no tensors, no I/O.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyUnit:
    """What is known of a unit when the order is decided."""

    # name of the parameter
    name: str
    # parameter and optimizer state together
    nbytes: int
    # steps applied since the mirror's copy was taken; None: the mirror has no copy
    staleness_steps: int | None
    # L2 norm of the parameter's last gradient; None: not known
    gradient_magnitude: float | None


def copy_order(units: Iterable[CopyUnit]) -> list[CopyUnit]:
    """Return ``units`` in the order in which to copy them: the most urgent first.

    Largest staleness first, then largest gradient magnitude, then by name, so that owner and
    mirror, and two runs, agree. What is not known counts as worst, never as zero: a unit without
    a copy is staler than any other, an unknown magnitude (or NaN) larger than any other.
    """
    return sorted(units, key=_urgency)


def next_slice(order: Sequence[CopyUnit], *, budget_bytes: int) -> list[CopyUnit]:
    """Return the leading units of ``order`` that fit into ``budget_bytes``: one step's share.

    At least one unit is returned as long as there is one, so that copying always gets on. A unit
    is atomic: all its bytes must be of one version, so a unit larger than the budget is copied
    whole, alone in its step, and that step costs more than the budget. No unit overtakes another
    to fill the rest of a budget. Raises `ValueError` for a negative budget.
    """
    if budget_bytes < 0:
        message = f"budget_bytes is {budget_bytes}; pass 0 for one unit per step"
        raise ValueError(message)
    taken = list(order[:1])
    left = budget_bytes - sum(unit.nbytes for unit in taken)
    for unit in order[1:]:
        left -= unit.nbytes
        if left < 0:
            break
        taken.append(unit)
    return taken


def _urgency(unit: CopyUnit) -> tuple[float, float, str]:
    staleness = math.inf if unit.staleness_steps is None else unit.staleness_steps
    magnitude = unit.gradient_magnitude
    if magnitude is None or math.isnan(magnitude):
        magnitude = math.inf
    return (-staleness, -magnitude, unit.name)

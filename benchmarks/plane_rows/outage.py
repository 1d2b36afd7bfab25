"""Row f: the whole control plane is away for a while, during training and during a planned swap."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import django

from benchmarks.plane_rows.kills import NODES
from benchmarks.plane_rows.stack import running_stack

if TYPE_CHECKING:
    from benchmarks.plane_rows.stack import Stack

#: What is away: everything but the broker, in which the job's coordinators hold their lease.
PLANE: Final = ("web", "agents' port", "relay", "worker", "beat", "database")
#: And with it.
EVERYTHING: Final = (*PLANE, "broker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is measured."""

    # how long everything is away each time, s
    outage_s: float


FULL: Final = Size(outage_s=60)
QUICK: Final = Size(outage_s=10)


def measure(size: Size) -> dict[str, object]:
    """Train, take the plane away three times, and look what it knows afterwards."""
    with running_stack(postgres=True, agents=NODES) as stack:
        django.setup()
        figures = stack.beside(lambda: _measure(stack, size.outage_s))
        return {"outage_s": size.outage_s, **figures}


def _measure(stack: Stack, outage_s: float) -> dict[str, object]:
    # models can be imported only now that Django is set up
    absence = importlib.import_module("benchmarks.plane_rows.absence")
    with stack.person("otto") as otto, stack.person("ada") as ada:
        trial = absence.Trial.begin(stack, otto=otto, ada=ada)
        return {
            **_named("training", trial.while_training(PLANE, outage_s)),
            **_named("swap", trial.while_swapping(PLANE, outage_s)),
            **_named("broker", trial.while_training(EVERYTHING, outage_s)),
            **trial.reconciled(),
        }


def _named(name: str, figures: dict[str, object]) -> dict[str, object]:
    return {f"{name}_{measure}": value for measure, value in figures.items()}

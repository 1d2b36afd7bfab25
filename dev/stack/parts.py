"""What a stack is made of: services that stay, steps that end. Pure values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Probe = Callable[[], bool]

#: Longest wait for a service to be ready, s: a busy machine is slow to import Django six times.
READY_S = 90.0
#: Longest a service may take to end after it was asked to, s.
STOP_S = 10.0
#: Longest a step may take, s.
STEP_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A process that is there as long as the stack is; one that ends is started again."""

    # how it is called on screen, in the state file and in the names of its logs
    name: str
    # program and arguments
    command: tuple[str, ...]
    # beside the environment of the stack
    environment: Mapping[str, str] = field(default_factory=dict)
    # says whether it serves; None: it does as soon as it runs
    ready: Probe | None = None
    # longest wait for that
    ready_s: float = READY_S
    # how it is asked to end: SIGINT where SIGTERM means "wait for your clients"
    interrupt: bool = False
    # longest wait for its end
    stop_s: float = STOP_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command that has to end well before the next part begins."""

    # how it is called on screen
    name: str
    # program and arguments
    command: tuple[str, ...]
    # beside the environment of the stack
    environment: Mapping[str, str] = field(default_factory=dict)
    # longest wait for its end
    step_s: float = STEP_S


Part = Service | Step

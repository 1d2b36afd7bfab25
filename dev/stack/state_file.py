"""Which processes a stack has: written by its supervisor, read by whoever wants to kill one."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAME = "stack.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class StackState:
    """What a stack looks like from outside."""

    # process id of the supervisor
    supervisor: int
    # whether every part has started
    ready: bool
    # address of the web process
    web: str
    # process id of each service that runs, by name
    processes: dict[str, int]
    # how often each was started again
    restarts: dict[str, int]


def write(directory: Path, state: StackState) -> None:
    """Replace the file as one."""
    fresh = directory / f"{NAME}.new"
    fresh.write_text(json.dumps(asdict(state), indent=1) + "\n", encoding="utf-8")
    fresh.replace(directory / NAME)


def read(directory: Path) -> StackState | None:
    """Return what the file says; None: there is none, or its supervisor is gone."""
    try:
        state = StackState(**json.loads((directory / NAME).read_text(encoding="utf-8")))
        os.kill(state.supervisor, 0)
    except (FileNotFoundError, ProcessLookupError):
        return None
    return state


def kill(directory: Path, name: str) -> int:
    """Kill a service as a crash would (SIGKILL); return the process id that it had.

    Raises:
        LookupError: the stack does not run, or has no such service.

    """
    state = read(directory)
    if state is None or name not in state.processes:
        known = sorted(state.processes) if state else []
        raise LookupError(f"{name} does not run; running: {', '.join(known) or 'nothing'}")
    os.kill(state.processes[name], signal.SIGKILL)
    return state.processes[name]

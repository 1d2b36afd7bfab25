"""Row b: each process is killed in each state of a swap, and everything must come to a good end."""

from __future__ import annotations

import importlib
import sys
import time
from collections import deque
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

import django

from apps.swaps.domain.states import TABLE, State
from benchmarks.figures import rounded, spread
from benchmarks.plane_rows.paced_job import RANKS, PacedJob
from benchmarks.plane_rows.stack import running_stack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.plane_rows.stack import Stack
    from dev.demo.client import Person

#: What is killed: services by their names, and two that the job decides about.
PROCESSES: Final = (
    *("web", "agents' port", "relay", "worker", "beat"),
    *("coordinator", "agent", "broker", "database"),
)
#: Nodes with an agent: two ranks, a standby, and one more for coordinators.
NODES: Final = ("n1", "n2", "n3", "n5")

Case = tuple[State, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What is killed when."""

    # those of one state one after the other: they share a job
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one kill."""

    state: str
    process: str
    # how the swap ended, with the code of a failure
    end: str
    # what the failure said
    why: str
    # what is not as it should be, in words
    wrong: tuple[str, ...]
    # from the kill until the swap had ended, s; null: it did not end
    took_s: float | None


FULL: Final = Size(
    cases=tuple((State(state), name) for state in TABLE.open_states for name in PROCESSES)
)
#: Each process once, each state but one.
QUICK: Final = Size(
    cases=(
        (State.PROPOSED, "web"),
        (State.APPROVED, "database"),
        (State.PREPARING, "agents' port"),
        (State.VERIFYING, "agent"),
        (State.CUTTING_OVER, "worker"),
        (State.CUTTING_OVER, "relay"),
        (State.WATCHING, "coordinator"),
        (State.WATCHING, "beat"),
        (State.TAKING_OVER, "broker"),
    )
)


def measure(size: Size) -> dict[str, object]:
    """Kill, and look."""
    with running_stack(postgres=True, agents=NODES) as stack:
        django.setup()
        outcomes = stack.beside(lambda: list(_outcomes(stack, size.cases)))
    print(table(outcomes), file=sys.stderr)
    return {
        "kills": len(outcomes),
        "completed": sum(each.end == "completed" for each in outcomes),
        "undone": sum(each.end != "completed" and not each.wrong for each in outcomes),
        "wrong": sum(bool(each.wrong) for each in outcomes),
        **spread("swap_end_s", [each.took_s for each in outcomes]),
        "table": [asdict(each) for each in outcomes],
    }


def _outcomes(stack: Stack, cases: Sequence[Case]) -> Iterator[Outcome]:
    with stack.person("otto") as otto, stack.person("ada") as ada:
        for state, group in groupby(cases, key=lambda case: case[0]):
            waiting = deque(process for _, process in group)
            while waiting:
                yield from _in_one_job(stack, otto, ada, state, waiting)


def _in_one_job(
    stack: Stack, otto: Person, ada: Person, state: State, waiting: deque[str]
) -> Iterator[Outcome]:
    """Kill in one job, as long as nothing is wrong with it."""
    # models can be imported only now that Django is set up
    killing = importlib.import_module("benchmarks.plane_rows.killing")
    name = state.value.replace("_", "-")
    with PacedJob.submit(otto, name=name, jobs=stack.layout.directory / "jobs") as job:
        scene = killing.Scene(stack=stack, job=job, otto=otto, ada=ada)
        wrong = False
        while waiting and not wrong:
            begun_s, process = time.monotonic(), waiting.popleft()
            outcome = killing.kill_in(scene, state, process, rank=len(waiting) % RANKS)
            wrong = bool(outcome.wrong)
            text = "; ".join(outcome.wrong) or outcome.why or "good"
            took_s = time.monotonic() - begun_s
            line = f"{state} x {process}: {outcome.end}, {text} ({took_s:.0f} s)"
            print(line, file=sys.stderr, flush=True)
            yield outcome
        scene.stop_job()


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a row for each state and a column for each process, as Markdown."""
    cells = {(each.state, each.process): each for each in outcomes}
    states = list(dict.fromkeys(each.state for each in outcomes))
    lines = [
        f"| killed in | {' | '.join(PROCESSES)} |",
        f"| --- |{' --- |' * len(PROCESSES)}",
    ]
    for state in states:
        found = [cells.get((state, process)) for process in PROCESSES]
        shown = " | ".join("" if each is None else _cell(each) for each in found)
        lines.append(f"| {state.replace('_', ' ')} | {shown} |")
    return "\n".join(lines)


def _cell(outcome: Outcome) -> str:
    took_s = "" if outcome.took_s is None else f" {rounded(outcome.took_s):.1f} s"
    wrong = "**WRONG** " if outcome.wrong else ""
    return f"{wrong}{outcome.end.replace('_', ' ')}{took_s}"

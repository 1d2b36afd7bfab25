"""The demo as a whole: its stack, its people, its job, and what they show each other."""

from __future__ import annotations

import json
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, TypeVar

import httpx

from dev.demo.agents import NODES, PATIENCE, agent_service, agents_home
from dev.demo.client import Person
from dev.stack.leftovers import end_leftovers
from dev.stack.parts import Step
from dev.stack.plane import MANAGE, ROOT, plane_parts, store_parts
from dev.stack.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dev.stack.layout import Layout
    from dev.stack.screen import Screen

#: Between two questions to the API while something is waited for, s.
ASK_EVERY_S: Final = 0.5
JOB: Final = "gpt"
RANKS: Final = 4
SCRIPT: Final = ROOT / "examples" / "gpt.py"
#: Small, as four ranks, a standby and the control plane share a machine.
MODEL: Final = ("--layers", "2", "--width", "128", "--context", "64", "--validate-every", "2")
#: More than anybody waits for.
STEPS: Final = 1_000_000

Found = TypeVar("Found")


@dataclass(slots=True, kw_only=True)
class World:
    """A running demo; a context manager that ends it."""

    layout: Layout
    supervisor: Supervisor
    screen: Screen

    @classmethod
    def make(cls, layout: Layout, screen: Screen) -> World:
        """Return a demo that has not started, in an empty folder."""
        shutil.rmtree(layout.directory, ignore_errors=True)
        supervisor = Supervisor(
            directory=layout.directory, environment={}, screen=screen, web=layout.web_url
        )
        return cls(layout=layout, supervisor=supervisor, screen=screen)

    def __enter__(self) -> Self:
        """Start nothing yet."""
        self.supervisor.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """End everything, the job as well: it would train on without agents."""
        self.supervisor.stop()
        end_leftovers("HOTSWAP_HOME", str(agents_home(self.layout)))

    def start(self) -> None:
        """Start all processes. Raises PartFailed."""
        self.supervisor.start(store_parts(self.layout))
        self.supervisor.start(
            [
                Step(
                    name="tenant, people, fleet",
                    command=(*MANAGE, "seed_demo", str(self.layout.directory)),
                    environment=self.layout.environment(),
                )
            ]
        )
        self.supervisor.start(plane_parts(self.layout))
        self.supervisor.start(agent_service(self.layout, node) for node in NODES)
        self.supervisor.all_started()

    def person(self, username: str) -> Person:
        """Sign somebody in."""
        return person_of(self.layout.directory, self.layout.web_url, username)

    def wait(
        self,
        find: Callable[[], Found | None],
        what: str,
        *,
        wait_s: float,
        detail: Callable[[], str] = str,
    ) -> Found:
        """Return what ``find`` finds; processes that end meanwhile are started again.

        An API that does not answer at the moment is asked again: its process may just be away.
        Raises TimeoutError.
        """
        deadline_s, asked_s = time.monotonic() + wait_s, 0.0
        found: Found | None = None
        self.screen.begin(what)

        def done() -> bool:
            nonlocal found, asked_s
            if time.monotonic() - asked_s >= ASK_EVERY_S:
                asked_s = time.monotonic()
                with suppress(httpx.TransportError):
                    found = find()
                self.screen.detail(detail())
            return bool(found) or time.monotonic() > deadline_s

        try:
            self.supervisor.tend(until=done)
        finally:
            self.screen.end(well=bool(found))
        if not found:
            raise TimeoutError(f"waited {wait_s:g} s for: {what}; {detail()}")
        return found

    def submit_job(self, otto: Person) -> str:
        """Have the job started; return its id."""
        cluster = otto.every("clusters")[0]["id"]
        job = otto.post(
            "jobs",
            cluster=cluster,
            name=JOB,
            script=str(SCRIPT),
            arguments=["--steps", str(STEPS), *MODEL],
            ranks=RANKS,
            standbys=1,
            checkpoint_every_steps=50,
            environment=PATIENCE,
            directory=str(self.layout.directory / "jobs"),
        )
        return str(job["id"])


def person_of(directory: Path, web: str, username: str) -> Person:
    """Sign in one of the demo's people."""
    known = json.loads((directory / "logins.json").read_text(encoding="utf-8"))
    return Person(web, username=username, password=known["logins"][username])


def logins_shown(directory: Path) -> Sequence[str]:
    """Return a line for each person of the demo."""
    known = json.loads((directory / "logins.json").read_text(encoding="utf-8"))
    return [f"  {name:<6} {password}" for name, password in known["logins"].items()]

"""A control plane to measure, filled with a fleet."""

from __future__ import annotations

import os
import tempfile
import threading
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dev.demo.agents import agent_service, agents_home
from dev.demo.world import person_of
from dev.stack.layout import Layout, choose
from dev.stack.leftovers import end_leftovers
from dev.stack.parts import Step
from dev.stack.plane import MANAGE, plane_parts, store_parts
from dev.stack.screen import Terminal
from dev.stack.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dev.demo.client import Person


Done = TypeVar("Done")


class Stack:
    """Processes of a control plane on free ports, with the demo's people."""

    def __init__(self, layout: Layout, supervisor: Supervisor) -> None:
        """Hold what `running_stack` has started."""
        self.layout = layout
        self.supervisor = supervisor

    def person(self, username: str) -> Person:
        """Sign somebody in."""
        return person_of(self.layout.directory, self.layout.web_url, username)

    def beside(self, work: Callable[[], Done]) -> Done:
        """Do some work in a thread of its own, and look after the processes meanwhile.

        They die with the thread that started them, hence it is this one that stays with them.
        """
        future: Future[Done] = Future()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised by who waits for the work
                future.set_exception(error)

        # not a pool's thread: whoever is told to end does not wait for the work
        threading.Thread(target=run, daemon=True).start()
        self.supervisor.tend(until=future.done)
        return future.result()


@contextmanager
def running_stack(
    *, postgres: bool, without: Sequence[str] = (), agents: Sequence[str] = ()
) -> Iterator[Stack]:
    """Run a control plane in a folder of its own; ends it, and removes the folder.

    Django in this process is set up for its database. ``without`` names services that are left
    out, ``agents`` nodes that have one; their jobs are ended as well.
    """
    with tempfile.TemporaryDirectory(prefix="hotswap-bench-") as folder:
        layout = choose(Path(folder), postgres=postgres, fixed_ports=False)
        os.environ.update(layout.environment(), DJANGO_SETTINGS_MODULE="controlplane.settings")
        screen = Terminal()
        with Supervisor(
            directory=layout.directory, environment={}, screen=screen, web=layout.web_url
        ) as supervisor:
            supervisor.start(store_parts(layout))
            seed = (*MANAGE, "seed_demo", str(layout.directory))
            supervisor.start([Step(name="people", command=seed, environment=layout.environment())])
            supervisor.start(part for part in plane_parts(layout) if part.name not in without)
            supervisor.start(agent_service(layout, node) for node in agents)
            supervisor.all_started()
            try:
                yield Stack(layout, supervisor)
            finally:
                supervisor.stop()
                end_leftovers("HOTSWAP_HOME", str(agents_home(layout)))

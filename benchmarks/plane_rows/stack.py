"""A control plane to measure, filled with a fleet."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

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


class Stack:
    """Processes of a control plane on free ports, with the demo's people."""

    def __init__(self, layout: Layout, supervisor: Supervisor) -> None:
        """Hold what `running_stack` has started."""
        self.layout = layout
        self.supervisor = supervisor

    def person(self, username: str) -> Person:
        """Sign somebody in."""
        return person_of(self.layout.directory, self.layout.web_url, username)

    def tend(self, until: Callable[[], bool]) -> None:
        """Look after the processes until something is so."""
        self.supervisor.tend(until=until)


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

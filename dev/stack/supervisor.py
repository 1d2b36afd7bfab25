"""Starts the parts of a stack in order, keeps them running, ends them in reverse.

One thread: what is started dies with the thread that started it, see `hotswap.node.children`.
"""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

from dev.stack import state_file
from dev.stack.parts import Service, Step
from hotswap.node.children import Child, spawn, tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from dev.stack.screen import Screen

#: Between two looks at what has started or ended, s.
LOOK_EVERY_S: Final = 0.05
#: Before a service that ended is started again, s; doubled each time, up to the second.
RESTART_S: Final = (0.2, 5.0)
#: A service that ran for so long begins with the short wait again, s.
SETTLED_S: Final = 20.0
#: How often a service may end before it was ready once.
FALSE_STARTS_MAX: Final = 5
#: Lines of its log that are shown of what failed.
TAIL_LINES: Final = 25


class PartFailed(Exception):
    """A part of the stack did not start, or did not end well."""


@dataclass(slots=True, kw_only=True)
class Running:
    """A service and the process that it has at the moment."""

    service: Service
    # None: it ended, and is started again at `due_s`
    child: Child | None
    # CLOCK_MONOTONIC
    started_s: float
    due_s: float = 0.0
    # wait before the next start
    wait_s: float = RESTART_S[0]
    # how often it was started again
    restarts: int = 0


@dataclass(slots=True, kw_only=True)
class Supervisor:
    """A stack of processes in one directory; a context manager that ends them all."""

    # logs go here, and the state file
    directory: Path
    # of every process
    environment: Mapping[str, str]
    screen: Screen
    # address of the web process, for the state file
    web: str = ""
    ready: bool = False
    running: dict[str, Running] = field(default_factory=dict)
    # services that stay down once they have ended, until taken out; any thread may change it
    held: set[str] = field(default_factory=set)

    def __enter__(self) -> Self:
        """Make the directory."""
        (self.directory / "logs").mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        """End everything."""
        self.stop()

    def start(self, parts: Iterable[Service | Step]) -> None:
        """Start each part and wait until it serves, or has ended well.

        Raises:
            PartFailed: one did not; those before it run until `stop`.

        """
        for part in parts:
            self.screen.begin(part.name)
            well = False
            try:
                if isinstance(part, Step):
                    self._take(part)
                else:
                    self._bring_up(part)
                well = True
            finally:
                self.screen.end(well=well)

    def all_started(self) -> None:
        """Tell those outside that the stack is whole."""
        self.ready = True
        self._write()

    def tend(self, *, until: Callable[[], bool]) -> None:
        """Start again what ends, until ``until`` is true."""
        while not until():
            self.look()
            self._sleep()

    def look(self) -> None:
        """Start again what has ended, once its wait is over."""
        now_s = time.monotonic()
        for each in self.running.values():
            if each.child is not None and _ended(each.child):
                self._buried(each, now_s=now_s)
            elif self._is_due(each, now_s=now_s):
                each.child = self._spawn(each.service)
                each.started_s = now_s
                each.restarts += 1
                self._write()

    def _is_due(self, each: Running, *, now_s: float) -> bool:
        return each.child is None and each.service.name not in self.held and now_s >= each.due_s

    def stop(self) -> None:
        """Ask each service to end, the last one first; kill what does not."""
        for each in reversed(list(self.running.values())):
            child, each.child = each.child, None
            if child is not None:
                child.signal(signal.SIGINT if each.service.interrupt else signal.SIGTERM)
                select.select([child.pidfd], [], [], each.service.stop_s)
                child.kill()
                child.reap()
        self.running.clear()
        self.ready = False
        with suppress(FileNotFoundError):
            (self.directory / state_file.NAME).unlink()

    def _bring_up(self, service: Service) -> None:
        """Start a service and wait for it."""
        self.running[service.name] = Running(
            service=service, child=self._spawn(service), started_s=time.monotonic()
        )
        self._write()
        deadline_s = time.monotonic() + service.ready_s
        while not self._serves(service):
            if time.monotonic() > deadline_s:
                raise PartFailed(self._why(service.name, "was not ready in time"))
            if self.running[service.name].restarts >= FALSE_STARTS_MAX:
                raise PartFailed(self._why(service.name, "ends again and again"))
            self.screen.detail(self._last_line(service.name))
            self.look()
            self._sleep()

    def _serves(self, service: Service) -> bool:
        child = self.running[service.name].child
        if child is None or _ended(child):
            return False
        return service.ready is None or service.ready()

    def _take(self, step: Step) -> None:
        """Run a command to its end."""
        child = self._spawn(step)
        deadline_s = time.monotonic() + step.step_s
        while not _ended(child) and time.monotonic() < deadline_s:
            self.screen.detail(self._last_line(step.name))
            self.look()
            self._sleep()
        child.kill()
        if child.reap() != 0:
            raise PartFailed(self._why(step.name, "did not end well"))

    def _buried(self, each: Running, *, now_s: float) -> None:
        """Note that a service has ended, and when it is started again."""
        assert each.child is not None, "only what runs can end"
        status = each.child.reap()
        if now_s - each.started_s > SETTLED_S:
            each.wait_s = RESTART_S[0]
        each.child, each.due_s = None, now_s + each.wait_s
        each.wait_s = min(each.wait_s * 2, RESTART_S[1])
        if self.ready:
            self.screen.say(f"  {each.service.name} ended ({status}); it is started again")
        self._write()

    def _spawn(self, part: Service | Step) -> Child:
        return spawn(
            name=part.name.replace(" ", "-"),
            command=part.command,
            environment={**os.environ, **self.environment, **part.environment},
            logs=self.directory / "logs",
        )

    def _sleep(self) -> None:
        """Wait until something ends, or it is time to look again."""
        ends = [each.child.pidfd for each in self.running.values() if each.child is not None]
        select.select(ends, [], [], LOOK_EVERY_S)

    def _logs(self, name: str) -> list[Path]:
        return sorted((self.directory / "logs").glob(f"{name.replace(' ', '-')}.*.log"))

    def _last_line(self, name: str) -> str:
        newest = max(self._logs(name), key=lambda path: path.stat().st_mtime_ns, default=None)
        lines = tail(newest, lines_max=1) if newest else ()
        return lines[0].strip() if lines else ""

    def _why(self, name: str, what: str) -> str:
        lines = [line for log in self._logs(name) for line in tail(log, lines_max=TAIL_LINES)]
        return "\n".join([f"{name} {what}. It said:", *lines, f"More in {self.directory}/logs."])

    def _write(self) -> None:
        state_file.write(
            self.directory,
            state_file.StackState(
                supervisor=os.getpid(),
                ready=self.ready,
                web=self.web,
                processes={
                    name: each.child.pid for name, each in self.running.items() if each.child
                },
                restarts={name: each.restarts for name, each in self.running.items()},
            ),
        )


def _ended(child: Child) -> bool:
    return bool(select.select([child.pidfd], [], [], 0)[0])

"""`hotswap run` as a process of its own, with what it tells read as it is told."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from tests.hotswap.node.whole_file import write_whole

FAKE_TRAINER = Path(__file__).with_name("fake_trainer.py")
WAIT_S = 40.0

Event = Mapping[str, Any]


class JobUnderTest:
    """One run of a script; a context manager that leaves no process behind.

    ``home`` becomes ``HOTSWAP_HOME``; ``settings`` are further environment variables.
    """

    def __init__(
        self,
        home: Path,
        *options: str,
        script: Path = FAKE_TRAINER,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home
        self.events: list[Event] = []
        self._heard = threading.Condition()
        self._over = False
        command = [sys.executable, "-m", "hotswap.cli", "run", "--json", "--job", "test", *options]
        self.process = subprocess.Popen(
            [*command, str(script)],
            env={
                **os.environ,
                "HOTSWAP_HOME": str(home),
                # the fake trainer is a script, and shares modules with the tests
                "PYTHONPATH": os.pathsep.join(sys.path),
                **(settings or {}),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    @property
    def directory(self) -> Path:
        return self.home / "jobs" / "test"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.end()

    def end(self) -> tuple[int, str]:
        """Wait for the end; give the exit code and what was written to stderr."""
        self.process.wait(WAIT_S)
        self._listener.join(WAIT_S)
        assert self.process.stderr is not None
        error = "" if self.process.stderr.closed else self.process.stderr.read()
        self.process.stderr.close()
        return self.process.returncode, error

    def control(self, *, steps: int, finish: bool = False) -> None:
        """Have the fake trainers go so far."""
        write_whole(self.directory / "control.json", json.dumps({"steps": steps, "finish": finish}))

    def wait_for(self, kind: str, *, after: int = 0, **fields: object) -> Event:
        """Wait for an event of a kind with such fields; those before index ``after`` are past."""

        def fits(event: Event) -> bool:
            return event["kind"] == kind and all(event[key] == fields[key] for key in fields)

        return self._wait(fits, after, f"{kind} {fields}")

    def kill(self, member: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Signal the process of a member."""
        os.kill(self.pid(member), number)

    def pid(self, member: str) -> int:
        """Give the process of a member or coordinator."""
        return int(self.wait_for("process_started", member=member)["values"]["pid"])

    def processes(self) -> int:
        """Count the processes that belong to this run, the launcher among them."""
        mark = f"HOTSWAP_HOME={self.home}".encode()
        count = 0
        for entry in Path("/proc").iterdir():
            try:
                count += mark in (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
        return count

    def _wait(self, fits: Callable[[Event], bool], after: int, what: str) -> Event:
        def found() -> Event | None:
            return next((event for event in self.events[after:] if fits(event)), None)

        with self._heard:
            self._heard.wait_for(lambda: found() is not None or self._over, WAIT_S)
            event = found()
        assert event is not None, f"no {what} among {self.told()}"
        return event

    def told(self) -> str:
        """Give what was told so far, for a failing test."""
        return "\n".join(json.dumps(event) for event in self.events)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout:
            for line in self.process.stdout:
                with self._heard:
                    self.events.append(json.loads(line))
                    self._heard.notify_all()
        with self._heard:
            self._over = True
            self._heard.notify_all()

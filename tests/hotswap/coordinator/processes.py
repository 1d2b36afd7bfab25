"""Coordinators as real processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from hotswap.environment import JOB_KEY
from tests.hotswap.coordinator.scripted import KEY, WAIT_S


class Coordinators:
    """The coordinator processes of one job; ``close`` ends them all."""

    def __init__(
        self, job_directory: Path, *, world_size: int, environment: Mapping[str, str]
    ) -> None:
        self.job_directory = job_directory
        self._world_size = world_size
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("HOTSWAP")},
            "PYTHONPATH": os.pathsep.join(sys.path),
            JOB_KEY: KEY.hex(),
            **environment,
        }
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *arguments: str, **environment: str) -> None:
        command = [sys.executable, "-m", "hotswap.coordinator.server"]
        command += ["--job-directory", str(self.job_directory), "--name", name]
        command += ["--world-size", str(self._world_size), *arguments]
        with self._log(name).open("wb") as log:
            self._processes[name] = subprocess.Popen(
                command, stderr=log, env=self._environment | environment
            )

    def kill(self, name: str) -> None:
        """End it without a word."""
        self._processes[name].kill()
        self._processes[name].wait(WAIT_S)

    def end(self, name: str) -> int:
        """Let it end in order."""
        self._processes[name].terminate()
        return self.wait(name)

    def wait(self, name: str) -> int:
        return self._processes[name].wait(WAIT_S)

    def freeze(self, name: str) -> None:
        self._processes[name].send_signal(signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        self._processes[name].send_signal(signal.SIGCONT)

    def log(self, name: str) -> list[dict[str, object]]:
        """Return what it has logged so far."""
        lines = self._log(name).read_bytes().splitlines(keepends=True)
        return [
            msgspec.json.decode(line, type=dict[str, object])
            for line in lines
            if line.endswith(b"\n") and line.startswith(b"{")
        ]

    def logged(self, name: str, event: str) -> bool:
        """Whether it has logged an event."""
        return any(line["event"] == event for line in self.log(name))

    def wait_for(self, name: str, event: str) -> None:
        """Wait until it has logged an event."""
        deadline_s = time.monotonic() + WAIT_S
        while not self.logged(name, event):
            assert self._processes[name].poll() is None, self._log(name).read_text()
            assert time.monotonic() < deadline_s, f"{name} has not logged {event}"
            time.sleep(0.005)

    def close(self) -> None:
        for process in self._processes.values():
            process.kill()
            process.wait(WAIT_S)

    def _log(self, name: str) -> Path:
        return self.job_directory.parent / f"{name}.log"

"""Starts the processes of a run, restarts those that are to be, and leaves none behind."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from benchmarks.peers import probe
from benchmarks.peers.system import Case

REPOSITORY = Path(__file__).resolve().parents[2]
# how long processes have to end by themselves once a run is over
STOP_GRACE_S = 2.0
_POLL_S = 0.01
_REASON_LINES = 400
_REASON_LENGTH = 160
# of every torchrun in an environment with lm-resiliency, whose entry point does not fit
_NO_REASON = "elastic/rendezvous/registry.py"


@dataclass(slots=True, kw_only=True)
class _Launched:
    """A process with what is needed to start it again."""

    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    restarts_left: int
    # it trains nothing itself, and its end is not the end of the run
    helper: bool
    popen: subprocess.Popen[bytes]


@dataclass(slots=True)
class Job:
    """The processes of one run."""

    case: Case
    _launched: list[_Launched] = field(default_factory=list)

    def __enter__(self) -> Self:
        """Create the directories of the run."""
        self.case.probes.mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        """End every process of the run."""
        self._stop()

    def launch(
        self,
        name: str,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        restarts: int = 0,
        helper: bool = False,
    ) -> None:
        """Start a process.

        Args:
            name: of its log.
            command: program and arguments.
            environment: variables beside those that all processes have.
            restarts: how often it is started again, at once, when it fails.
            helper: it trains nothing: the run has ended when all others have.

        """
        full = base_environment(self.case) | dict(environment or {})
        log = self.case.directory / f"{name}.log"
        popen = _start(command, full, log)
        self._launched.append(
            _Launched(
                command=command,
                environment=full,
                log=log,
                restarts_left=restarts,
                helper=helper,
                popen=popen,
            )
        )

    def tend(self) -> None:
        """Start again what has failed and may be restarted."""
        for launched in self._launched:
            if launched.popen.poll() not in (None, 0) and launched.restarts_left:
                launched.restarts_left -= 1
                launched.popen = _start(launched.command, launched.environment, launched.log)

    def all_ended(self) -> bool:
        """Return whether no process is left that could still do a step."""
        return all(
            launched.popen.poll() is not None for launched in self._launched if not launched.helper
        )

    def exit_codes(self) -> dict[str, int | None]:
        """Return the exit code of each launched process by its name; None: it lives."""
        return {launched.log.stem: launched.popen.poll() for launched in self._launched}

    def members(self) -> list[int]:
        """Return the living processes of this run, also those whose parents have gone.

        They are known by the directory of the probes, which stands in the environment of each and
        is of no other run.
        """
        mark = f"{probe.DIRECTORY}={self.case.probes}".encode()
        return [pid for pid in _other_processes() if mark in _environment(pid).split(b"\0")]

    def last_error(self) -> str:
        """Return the last line of the newest log that names an error; empty when none does."""
        logs = sorted(self.case.directory.rglob("*.log"), key=lambda log: log.stat().st_mtime_ns)
        for log in reversed(logs):
            lines = log.read_text(errors="replace").splitlines()[-_REASON_LINES:]
            named = [line.strip() for line in lines if _names_error(line)]
            if named:
                return named[-1][:_REASON_LENGTH]
        return ""

    def _stop(self) -> None:
        """Ask the processes to end, then kill all that belong to this run."""
        for launched in self._launched:
            if launched.popen.poll() is None:
                launched.popen.terminate()
        deadline = time.monotonic() + STOP_GRACE_S
        while time.monotonic() < deadline and (not self.all_ended() or self.members()):
            time.sleep(_POLL_S)
        for pid in self.members():
            kill(pid)
        for launched in self._launched:
            launched.popen.kill()
            launched.popen.wait()
        # A process that was killed stands there for a moment more.
        deadline = time.monotonic() + STOP_GRACE_S
        while time.monotonic() < deadline and self.members():
            time.sleep(_POLL_S)


def _names_error(line: str) -> bool:
    """Return whether a line of a log says what went wrong."""
    return "Error" in line and _NO_REASON not in line


def base_environment(case: Case) -> dict[str, str]:
    """Return the environment of every training process, the same in all systems."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ} | {
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": "1",
        # nothing but the loopback interface takes part
        "GLOO_SOCKET_IFNAME": "lo",
        "CUDA_VISIBLE_DEVICES": "",
        probe.DIRECTORY: str(case.probes),
        probe.STEPS: str(case.steps),
    }


def kill(pid: int) -> None:
    """Send SIGKILL; a process that has gone by itself is no error."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _start(
    command: Sequence[str], environment: Mapping[str, str], log: Path
) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, its output added to ``log``."""
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            env=dict(environment),
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _other_processes() -> Iterator[int]:
    """Yield the numbers of all processes but this one."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            yield int(entry.name)


def _environment(pid: int) -> bytes:
    """Return the environment that a process was started with; empty when it has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""

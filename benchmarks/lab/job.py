"""Starting a job through the command line, disturbing it, and reading what it left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hotswap.errors import HotswapError
from hotswap.limits import Limits
from hotswap.node.job_directory import JobDirectory
from hotswap.node.operator_client import operator_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from hotswap.wire.messages import Status

ROOT = Path(__file__).resolve().parents[2]
PROBE = ROOT / "benchmarks" / "lab" / "probe.py"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the ranks of a job wrote down."""

    # loss of each rank's committed steps, as hex, by (rank, step); the latest epoch counts
    losses: dict[tuple[int, int], str]
    # digest of each rank's state at the end
    digests: dict[int, str]
    # notices of the run, in order
    notices: list[dict[str, Any]]
    # exit code of `hotswap run`
    code: int

    def same_as(self, other: Outcome, *, losses_unwritten_max: int = 0) -> bool:
        """Whether losses and final states are bit-identical.

        A process that is killed right after a vote has no time to write the loss of a step that
        counts; at most ``losses_unwritten_max`` may be missing.
        """
        unwritten = other.losses.keys() - self.losses.keys()
        written = {key: loss for key, loss in other.losses.items() if key not in unwritten}
        return (
            len(unwritten) <= losses_unwritten_max
            and self.losses == written
            and self.digests == other.digests
        )

    def told(self) -> dict[int, float]:
        """Return how many ranks' reports stand behind the notice of each committed step."""
        return {
            notice["step"]: notice["values"]["ranks"]
            for notice in self.notices
            if notice["kind"] == "committed"
        }


@dataclass(kw_only=True)
class Job:
    """A run of `hotswap run`, as a context manager; leaves nothing running."""

    ranks: int
    standbys: int = 1
    arguments: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    script: Path = PROBE
    # s to sleep between two steps until `end` is called: the job is not to be over before
    pace_s: float = 0.0
    # where the ranks write; a temporary folder if not given
    folder: Path | None = None

    def __enter__(self) -> Self:
        """Start the job."""
        self.home = Path(self.folder or tempfile.mkdtemp(prefix="hotswap-lab-"))
        self.directory = JobDirectory(path=self.home / "jobs" / "lab")
        self.out = self.home / "out"
        self.out.mkdir(parents=True, exist_ok=True)
        if self.pace_s:
            (self.out / "pace").write_text(str(self.pace_s))
        self.notices: list[dict[str, Any]] = []
        self._heard = threading.Condition()
        self._ended = False
        environment = {
            **os.environ,
            "HOTSWAP_HOME": str(self.home),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "agents"), str(ROOT)]),
            "OMP_NUM_THREADS": "1",
            **self.environment,
        }
        command = [sys.executable, "-m", "hotswap.cli", "run", "--json", "--job", "lab"]
        command += ["--ranks", str(self.ranks), "--standbys", str(self.standbys), *self.options]
        command += [str(self.script), *self.arguments]
        if self.script == PROBE:
            command += ["--out", str(self.out)]
        self._log = (self.home / "run.log").open("w")
        self._process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        self._environment = environment
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self) -> None:
        assert self._process.stdout is not None, "it is a pipe"
        for line in self._process.stdout:
            notice = json.loads(line)
            notice["heard_monotonic_s"] = time.monotonic()
            with self._heard:
                self.notices.append(notice)
                self._heard.notify_all()
        with self._heard:
            self._ended = True
            self._heard.notify_all()

    def wait_for(
        self, condition: Callable[[dict[str, Any]], bool], *, timeout_s: float = 120, after: int = 0
    ) -> dict[str, Any]:
        """Wait for the first notice, from number ``after`` on, that meets ``condition``."""
        deadline_s = time.monotonic() + timeout_s
        seen = after
        with self._heard:
            while True:
                for notice in self.notices[seen:]:
                    if condition(notice):
                        return notice
                seen = len(self.notices)
                left_s = deadline_s - time.monotonic()
                if self._ended or left_s <= 0:
                    raise AssertionError(f"never came; the job said:\n{self.story()}")
                self._heard.wait(left_s)

    def wait_step(self, step: int, *, timeout_s: float = 120) -> None:
        """Wait until ``step`` is committed."""
        self.wait_for(
            lambda notice: notice.get("kind") == "committed" and notice.get("step", -1) >= step,
            timeout_s=timeout_s,
        )

    def wait_status(self, condition: Callable[[Status], bool], *, timeout_s: float = 120) -> Status:
        """Wait until the leader's status meets ``condition``, and return it."""
        deadline_s = time.monotonic() + timeout_s
        while time.monotonic() < deadline_s:
            status = self.status()
            if status is not None and condition(status):
                return status
            with self._heard:
                self._heard.wait(0.1)
        raise AssertionError(f"never came; the job said:\n{self.story()}")

    def wait_protected(self, *, standbys: int = 0) -> Status:
        """Wait until every rank has a mirror that its owner waits for, and for the standbys."""
        return self.wait_status(
            lambda status: (
                len(status.standbys) >= standbys
                and all(rank.protection == "protected" for rank in status.ranks)
            )
        )

    def command(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run another `hotswap` command on this job."""
        return subprocess.run(
            [sys.executable, "-m", "hotswap.cli", *words, "--job", "lab"],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=check,
        )

    def status(self) -> Status | None:
        """Return the leader's status; None: nobody answers, or the job has not begun."""
        try:
            with operator_of(self.directory, limits=Limits()) as operator:
                status = operator.status()
        except HotswapError:
            return None
        return status if status.epoch else None

    def swap(self, rank: int) -> dict[str, Any]:
        """Ask for a planned swap and wait for its end."""
        done = self.command("swap", "--rank", str(rank), "--json", check=False)
        if done.returncode != 0:
            raise AssertionError(f"{done.stdout}{done.stderr}\n{self.story()}")
        return dict(json.loads(done.stdout))

    def pids(self) -> dict[str, int]:
        """Return the living processes of the run by name: members and coordinators."""
        found = {}
        folder = str(self.directory.path)
        for process in Path("/proc").iterdir():
            if not process.name.isdigit():
                continue
            with suppress(OSError):
                words = (process / "cmdline").read_bytes().decode().split("\0")
                given = (process / "environ").read_bytes().decode().split("\0")
                if "--name" in words and folder in words:
                    found[words[words.index("--name") + 1]] = int(process.name)
                elif f"HOTSWAP_JOB_DIRECTORY={folder}" in given:
                    members = [each for each in given if each.startswith("HOTSWAP_MEMBER=")]
                    found.update({each.split("=")[1]: int(process.name) for each in members})
        return found

    def signal(self, name: str, number: signal.Signals = signal.SIGKILL) -> float:
        """Send a signal to a process of the run; return the moment, CLOCK_MONOTONIC s."""
        at_s = time.monotonic()
        os.kill(self.pids()[name], number)
        return at_s

    def owner(self, rank: int) -> str:
        """Return the name of the member that owns ``rank``."""
        status = self.status()
        assert status is not None, "nobody answers"
        return str(next(each.member for each in status.ranks if each.rank == rank))

    def end(self, *, timeout_s: float = 300) -> Outcome:
        """Let the job run, wait for its end and read what the ranks wrote."""
        (self.out / "pace").unlink(missing_ok=True)
        code = self._process.wait(timeout_s)
        self._reader.join(10)
        losses: dict[tuple[int, int], tuple[int, str]] = {}
        digests: dict[int, str] = {}
        for path in sorted(self.out.glob("rank-*.jsonl")):
            rank = int(path.name.split(".")[0].removeprefix("rank-"))
            for line in path.read_text().splitlines():
                record = json.loads(line)
                if "final" in record:
                    digests[rank] = record["final"]
                    continue
                key = (rank, record["step"])
                losses[key] = max(losses.get(key, (0, "")), (record["epoch"], record["loss"]))
        return Outcome(
            losses={key: loss for key, (_, loss) in losses.items()},
            digests=digests,
            notices=self.notices,
            code=code,
        )

    def story(self) -> str:
        """Return everything that the run has said, for a failure's message."""
        lines = [json.dumps(notice) for notice in self.notices[-40:]]
        logs = [
            f"--- {path.name}\n{path.read_text()[-1500:]}"
            for path in sorted(self.directory.logs.glob("*.log"))
        ]
        return "\n".join([*lines, (self.home / "run.log").read_text()[-3000:], *logs])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the run, if it has not ended."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(20)
        self._reader.join(10)
        assert self._process.stdout is not None, "it is a pipe"
        self._process.stdout.close()
        self._log.close()

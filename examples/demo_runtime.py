"""A tour of about 90 seconds: train, swap one rank on plan, kill another, and see what it cost.

Starts the same commands that a person would type, and shows them. What it leaves behind can be
looked at afterwards: ``hotswap certificate --job demo``, ``hotswap ledger --job demo``.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Final, Self, TypeVar

from hotswap.coordinator.event_log import Event
from hotswap.node.event_tail import EventTail
from hotswap.node.job_directory import JobDirectory, jobs_directory
from hotswap.node.progress import measure
from hotswap.node.run_record import describe

RANKS: Final = 4
#: Longest wait for one thing to happen, s: a busy machine is slow to start torch seven times.
PATIENCE_S: Final = 180.0
#: Time between two looks at what has happened, s.
LOOK_EVERY_S: Final = 0.05
#: Steps before the planned swap, and between being protected again and the kill.
CALM_STEPS: Final = 5
CHECKPOINT_EVERY_STEPS: Final = 20
SWAPPED_RANK: Final = 3
KILLED_RANK: Final = 1
SCRIPT: Final = Path(__file__).with_name("gpt.py")
MODEL: Final = ("--layers", "2", "--width", "128")

_Found = TypeVar("_Found")


@dataclass(frozen=True, kw_only=True)
class Disturbance:
    """One change of a rank's owner."""

    title: str
    # what the leader told of it
    notice: Event
    # from the moment of the request or the kill, CLOCK_MONOTONIC s
    since_s: float


class Job:
    """``hotswap run`` on this terminal, and what its leaders write down; a context manager."""

    def __init__(self, name: str, *, standbys: int, steps: int) -> None:
        """Start the job."""
        self.name = name
        self.events: list[Event] = []
        self._directory = JobDirectory(path=jobs_directory(os.environ) / name)
        self._tail = EventTail(self._directory.path)
        words = ["run", "--ranks", str(RANKS), "--standbys", str(standbys), "--job", name]
        words += ["--checkpoint-every", str(CHECKPOINT_EVERY_STEPS)]
        words += [str(SCRIPT), "--steps", str(steps), *MODEL]
        show_command(*words)
        command = [sys.executable, "-m", "hotswap.cli", *words]
        self._process = subprocess.Popen(command)  # noqa: S603 - the product's own command
        self._wait("the job to begin", self._has_begun)

    def __enter__(self) -> Self:
        """Return the job itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the job, if it still runs; it cleans up after itself."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        self.end()

    def end(self) -> int:
        """Wait for the end of the job; return the exit code of ``hotswap run``."""
        code = self._process.wait(PATIENCE_S)
        self.events += self._tail.read()
        self._tail.close()
        return code

    def wait_for(self, kind: str, *, rank: int) -> Event:
        """Wait for an event; see `_wait`."""
        return self._wait(f"{kind} of rank {rank}", lambda: self.find(kind, rank=rank))

    def wait_protected(self, *, after: int = 0) -> None:
        """Wait until every rank has got a mirror, from event ``after`` on, and for some steps."""

        def protected() -> bool:
            found = [self.find("mirror_complete", rank=rank, after=after) for rank in range(RANKS)]
            return None not in found

        self._wait("the protection of every rank", protected)
        step = len(commits(self.events)) + CALM_STEPS
        self._wait("some steps", lambda: len(commits(self.events)) >= step)

    def find(self, kind: str, *, rank: int, after: int = 0) -> Event | None:
        """Return the first event of a kind about a rank, from number ``after`` on."""
        those = (each for each in self.events[after:] if (each.kind, each.rank) == (kind, rank))
        return next(those, None)

    def pid(self, member: str) -> int:
        """Return the process of a member: the one that was told that it is."""
        for process in Path("/proc").iterdir():
            with suppress(OSError):
                variables = (process / "environ").read_bytes().split(b"\0")
                ours = f"HOTSWAP_JOB_DIRECTORY={self._directory.path}".encode() in variables
                if ours and f"HOTSWAP_MEMBER={member}".encode() in variables:
                    return int(process.name)
        raise SystemExit(f"{member} does not run any more")

    def _has_begun(self) -> bool:
        """Whether the directory is that of this run, and not of a former one of the name."""
        description = describe(self._directory)
        return description is not None and description.pid == self._process.pid

    def _wait(self, what: str, condition: Callable[[], _Found | None]) -> _Found:
        """Wait until ``condition`` finds something, and return that.

        Raises SystemExit when the job ends before, or it takes too long.
        """
        deadline_s = time.monotonic() + PATIENCE_S
        while not (found := condition()):
            if self._process.poll() is not None or time.monotonic() > deadline_s:
                raise SystemExit(f"the demo waited for {what}, which did not come: see above")
            time.sleep(LOOK_EVERY_S)
            if self._has_begun():
                self.events += self._tail.read()
        return found


def main() -> int:
    """Run the tour; return the exit code: 0 if nothing was lost."""
    options = parse_options()
    began_s = time.monotonic()
    with Job("demo", standbys=1, steps=options.steps) as job:
        planned = swap_on_plan(job)
        killed = kill_a_rank(job, after=job.events.index(planned.notice))
        say("nothing more is disturbed: the job trains to its end")
        code = job.end()
    clean = code == 0 and report(job, [planned, killed])
    if options.compare:
        clean = compare(job, steps=options.steps) and clean
    print(f"\nThe demo took {time.monotonic() - began_s:.0f} s.")
    return 0 if clean else 1


def swap_on_plan(job: Job) -> Disturbance:
    """Have the standby take over a rank that is well."""
    job.wait_protected()
    say(f"every rank is protected; rank {SWAPPED_RANK} is to be swapped on plan")
    since_s = time.monotonic()
    words = ("swap", "--job", job.name, "--rank", str(SWAPPED_RANK), "--reason", "demo")
    show_command(*words)
    done = hotswap(*words)
    if done.returncode != 0:
        raise SystemExit(f"the swap did not take place: {done.stderr}")
    notice = job.wait_for("swap_completed", rank=SWAPPED_RANK)
    return Disturbance(title="planned swap", notice=notice, since_s=since_s)


def kill_a_rank(job: Job, *, after: int) -> Disturbance:
    """Kill the process of another rank, once a new standby protects every rank."""
    job.wait_protected(after=after)
    victim = f"node-{KILLED_RANK}"
    say(f"a new standby protects every rank; now {victim} is killed")
    show_line(f"kill -KILL {job.pid(victim)}")
    since_s = time.monotonic()
    os.kill(job.pid(victim), signal.SIGKILL)
    notice = job.wait_for("unplanned_completed", rank=KILLED_RANK)
    return Disturbance(title="killed", notice=notice, since_s=since_s)


# ------------------------------------------------------------------------------------ what it cost


def report(job: Job, disturbances: Sequence[Disturbance]) -> bool:
    """Print what it cost; say whether nothing was lost."""
    print("\nWhat it cost")
    for each in disturbances:
        print(f"  {each.title:<14}{cost_line(job.events, each)}")
    certified = show("certificates", "certificate", "--job", job.name)
    audited = show("samples", "ledger", "--job", job.name)
    lost = [each.notice.values.get("steps_lost") for each in disturbances]
    return certified and audited and lost == [0.0] * len(lost)


def cost_line(events: Sequence[Event], disturbance: Disturbance) -> str:
    """Render the cost of one change of owner; what nobody measured reads "unknown"."""
    notice, since_s = disturbance.notice, disturbance.since_s
    times = commits(events)
    values: dict[str, float | None] = {"pause_ms": notice.values.get("pause_ms")}
    if notice.kind == "unplanned_completed":
        last_s = max((time_s for time_s in times if time_s <= since_s), default=None)
        values = {
            "stall_ms": (notice.monotonic_s - since_s) * 1000,
            "recomputed_at_most_ms": None if last_s is None else (since_s - last_s) * 1000,
        }
    values["commit_gap_ms"] = commit_gap_ms(times, since_s=since_s, until_s=notice.monotonic_s)
    values["steps_lost"] = notice.values.get("steps_lost")
    measured = ", ".join(measure(name, value) for name, value in values.items())
    return f"rank {notice.rank} went to {notice.member}: {measured}"


def commits(events: Sequence[Event]) -> list[float]:
    """Return when each step was committed, CLOCK_MONOTONIC s."""
    return [event.monotonic_s for event in events if event.kind == "committed"]


def commit_gap_ms(times: Sequence[float], *, since_s: float, until_s: float) -> float | None:
    """Return the longest time between two commits around a moment, less the median step."""
    steps = list(pairwise(times))
    around = [
        end_s - begin_s for begin_s, end_s in steps if end_s >= since_s and begin_s <= until_s
    ]
    if not around:
        return None
    return (max(around) - median(end_s - begin_s for begin_s, end_s in steps)) * 1000


def compare(job: Job, *, steps: int) -> bool:
    """Train once more, undisturbed, and compare; say whether it was the same, to the bit."""
    say("the same once more, undisturbed")
    with Job("demo-undisturbed", standbys=0, steps=steps) as undisturbed:
        undisturbed.end()
    here, there = final_states(job.name), final_states(undisturbed.name)
    same = bool(here) and here == there
    print("\nCompared with the undisturbed run")
    verdict = "bit-identical" if same else "unknown" if not (here and there) else "DIFFERENT"
    print(f"  state of every rank after step {max(here, default=(0, 0))[0]}: {verdict}")
    return same


def final_states(job: str) -> dict[tuple[int, int], str]:
    """Return the root digest of each rank's state in the last micro-checkpoint, by (step, rank)."""
    folder = jobs_directory(os.environ) / job / "checkpoints"
    records = [json.loads(path.read_bytes()) for path in folder.glob("*/rank-*.json")]
    manifests = [record["record"]["manifest"] for record in records]
    last = max((manifest["step"] for manifest in manifests), default=None)
    return {
        (manifest["step"], manifest["rank"]): manifest["root_digest"]
        for manifest in manifests
        if manifest["step"] == last
    }


# ----------------------------------------------------------------------------------------- commands


def hotswap(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command beside the job."""
    return subprocess.run(  # noqa: S603 - the product's own command
        [sys.executable, "-m", "hotswap.cli", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def show(title: str, *words: str) -> bool:
    """Run a command and print what it says; say whether it found everything in order."""
    done = hotswap(*words)
    print(f"\n{title[0].upper()}{title[1:]}")
    show_command(*words)
    print("".join(f"  {line}\n" for line in (done.stdout or done.stderr).splitlines()), end="")
    return done.returncode == 0


def say(text: str) -> None:
    """Print what happens next."""
    show_line("")
    show_line(f"# {text}")


def show_command(*words: str) -> None:
    """Print a command as a person would type it."""
    with suppress(ValueError):  # outside of the current folder
        words = tuple(
            str(Path(word).relative_to(Path.cwd())) if word == str(SCRIPT) else word
            for word in words
        )
    show_line(f"$ hotswap {' '.join(words)}")


def show_line(text: str) -> None:
    """Print a line over the living one, if there is one."""
    erase = "\r\x1b[2K" if sys.stdout.isatty() else ""
    print(f"{erase}{text}", flush=True)


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument(
        "--compare",
        action="store_true",
        help="train once more, undisturbed, and compare the final states to the bit",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

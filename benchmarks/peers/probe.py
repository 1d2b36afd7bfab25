"""What every training process writes, whatever system runs it: two lines of JSON per step.

Each process has its own file, so that a killed one leaves what it had written, and none waits for
another. A line goes to the operating system at once: SIGKILL loses no line that was written.
"""

import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

# environment variable: directory for the files of one run
DIRECTORY = "PEERS_PROBE_DIRECTORY"
# environment variable: number of steps of one run
STEPS = "PEERS_STEPS"
# seconds that the processes of one job may start apart
START_LIMIT_S = 60.0


class Probe:
    """Appends the facts of one training process to a file of its own."""

    def __init__(self, *, slot: int) -> None:
        """Open the file and write who this process is.

        Args:
            slot: which of the processes that the system was asked to start this one is; a process
                that replaces another has the slot of that one where the system says so.

        """
        directory = Path(os.environ[DIRECTORY])
        self._file = (directory / f"slot{slot}-{os.getpid()}.jsonl").open("a", buffering=1)
        self._write(kind="process", slot=slot, pid=os.getpid())

    def computed(self, *, step: int, rank: int, loss: float, samples: Iterable[int]) -> None:
        """Note what this process has worked out for ``step``, before it hands over any gradient.

        Args:
            step: number of the step, from 1.
            rank: rank in the job.
            loss: loss of this rank's own samples.
            samples: numbers of these samples.

        """
        self._write(kind="computed", step=step, rank=rank, loss=loss.hex(), samples=list(samples))

    def committed(self, *, step: int, rank: int, ranks: int) -> None:
        """Note that this process has applied ``step``.

        Args:
            step: number of the step, from 1.
            rank: rank in the job.
            ranks: number of ranks whose gradients the step is the mean of.

        """
        self._write(kind="commit", step=step, rank=rank, ranks=ranks)

    def finished(self, *, digest: str) -> None:
        """Note that this process has done all steps, and the digest of the state it ends with."""
        self._write(kind="end", digest=digest)

    def _write(self, **facts: object) -> None:
        """Append one line, with the time that all processes of a machine share."""
        self._file.write(json.dumps({"monotonic_ns": time.monotonic_ns(), **facts}) + "\n")

    def __enter__(self) -> Self:
        """Return this probe."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._file.close()


def steps_wanted() -> int:
    """Return the number of steps of this run."""
    return int(os.environ[STEPS])


def wait_for_slots(count: int) -> None:
    """Wait until as many slots as this have a process, so that a job starts complete.

    Raises:
        TimeoutError: they have not all started within the limit.

    """
    directory = Path(os.environ[DIRECTORY])
    deadline = time.monotonic() + START_LIMIT_S
    while len({path.name.split("-")[0] for path in directory.glob("*.jsonl")}) < count:
        if time.monotonic() > deadline:
            raise TimeoutError(f"not all of {count} processes started within {START_LIMIT_S} s")
        time.sleep(0.02)

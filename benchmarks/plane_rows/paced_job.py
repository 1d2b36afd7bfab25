"""A job of the plane whose steps are granted: it walks, takes a single step, or stands."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from benchmarks.plane_rows.paced_trainer import STEPS
from benchmarks.plane_rows.step_log import StepLog
from dev.demo.agents import PATIENCE
from dev.stack.waiting import wait_until

if TYPE_CHECKING:
    from dev.demo.client import Person

SCRIPT: Final = Path(__file__).with_name("paced_trainer.py")
RANKS: Final = 2
#: Between two steps of a job that walks, s.
STEP_EVERY_S: Final = 0.1
#: A job that was told to stand does so within this, s.
STAND_S: Final = 30.0
#: A process may be stopped for long, or wait for a busy machine: only its end is a loss.
ENVIRONMENT: Final = {**PATIENCE, "HOTSWAP_LEASE_S": "50", "HOTSWAP_LEADER_LEASE_S": "5"}


class PacedJob:
    """A running job; a context manager that grants steps meanwhile."""

    def __init__(self, job: dict[str, Any], directory: Path) -> None:
        """Hold a job that was submitted."""
        self.id: str = job["id"]
        self.directory = directory
        self.log = StepLog()
        self._granted = 0
        self._walking = True
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._walk, daemon=True)

    @classmethod
    def submit(cls, otto: Person, *, name: str, jobs: Path) -> PacedJob:
        """Have a job started, with a standby and two coordinators."""
        job = otto.post(
            "jobs",
            cluster=otto.every("clusters")[0]["id"],
            name=name,
            script=str(SCRIPT),
            arguments=[],
            ranks=RANKS,
            standbys=1,
            environment=ENVIRONMENT,
            directory=str(jobs),
        )
        # as `apps.jobs.services.placing.job_location` says
        return cls(job, jobs / f"{name}-{job['id'].replace('-', '')[-8:]}")

    def __enter__(self) -> Self:
        """Let it walk."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Grant nothing any more."""
        self._over.set()
        self._thread.join()

    def read(self) -> StepLog:
        """Return what its members have written down."""
        with self._lock:
            self.log.read(self.directory / STEPS)
            return self.log

    def walk(self) -> None:
        """Grant a step every so often."""
        self._walking = True

    def stand(self) -> None:
        """Grant no more, and wait until what was granted is done."""
        with self._lock:
            self._walking = False
        wait_until(lambda: self.read().committed >= self._granted, "the last step", wait_s=STAND_S)

    def grant(self) -> None:
        """Grant one more step, and wait until it is committed."""
        with self._lock:
            self._grant(self._granted + 1)
        self.stand()

    def _walk(self) -> None:
        while not self._over.wait(STEP_EVERY_S):
            with self._lock, suppress(FileNotFoundError):
                self.log.read(self.directory / STEPS)
                # no further ahead than can be waited for
                if self._walking and self._granted <= self.log.committed:
                    self._grant(self._granted + 1)

    def _grant(self, steps: int) -> None:
        """Say how far to go. Raises FileNotFoundError: the job has no directory yet."""
        fresh = self.directory / ".control.json"
        fresh.write_text(json.dumps({"steps": steps, "finish": False}))
        fresh.replace(self.directory / "control.json")
        self._granted = steps

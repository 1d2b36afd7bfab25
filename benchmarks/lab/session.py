"""A job that goes on until it has been disturbed often enough, and its undisturbed twin."""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from benchmarks.lab import attempts as written
from benchmarks.lab.job import Job, Outcome
from benchmarks.lab.relay import Relay
from hotswap.limits import Limits
from hotswap.node.job_directory import JobDirectory
from hotswap.node.operator_client import operator_of
from hotswap.runtime.data import SampleOrder, audit_ledger, read_ledger

if TYPE_CHECKING:
    from types import TracebackType

    from hotswap.wire.messages import Status

SCRIPT = Path(__file__).with_name("open_ended.py")
#: Of the training script.
SAMPLES, BATCH, SEED = 1 << 20, 4, 7
#: Between two steps while a new process starts, s.
PACE_S = 0.2
#: For a process to start, and for its copy of the state, s.
PROTECTED_S = 300.0
#: Undisturbed steps before a disturbance.
SETTLED_STEPS = 5
#: Steps from the decision to end until the end: no rank may be there when it reads of it.
LAST_STEPS = 30
#: A mirror on a shared machine may be held up for seconds, and must not be given up meanwhile; a
#: process that is killed soon after its start is no failing one, after which none is started.
LIMITS = {"HOTSWAP_MIRROR_ACK_S": "30", "HOTSWAP_STOP_LOSS_S": "1"}
#: Likewise, of a run in which nobody is lost.
UNDISTURBED = {"HOTSWAP_LEASE_S": "30"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What is left of a run."""

    outcome: Outcome
    attempts: list[written.Attempt]
    steps: int
    samples_lost: int
    samples_doubled: int
    # whether all losses that were written, and all final states, are the twin's
    bit_identical: bool
    # losses that died with the process that was to write them, though their steps count
    losses_unwritten: int

    def audit(self) -> dict[str, object]:
        """Return the facts that stand in several rows."""
        return {
            "steps_lost": written.steps_lost(self.attempts),
            "samples_lost": self.samples_lost,
            "samples_doubled": self.samples_doubled,
            "bit_identical": self.bit_identical,
            "losses_unwritten": self.losses_unwritten,
            "steps": self.steps,
        }


@dataclass(kw_only=True)
class Session:
    """A running job; as a context manager it leaves no process and no file."""

    mode: str = "fsdp2"
    ranks: int = 2
    standbys: int = 1
    options: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    script: Path = SCRIPT
    # whether the script takes mode, data and seed
    settings: bool = True
    # member that reaches the coordinators through `relay` alone
    relayed: str = ""

    def __enter__(self) -> Self:
        """Start the job, at a walking pace."""
        self.folder = Path(tempfile.mkdtemp(prefix="hotswap-bench-"))
        self.directory = JobDirectory(path=self.folder / "jobs" / "lab")
        self.out = self.folder / "out"
        self.out.mkdir()
        self.relay: Relay | None = None
        if self.relayed:
            self.relay = Relay(out=self.out, job=self.directory.path, member=self.relayed)
        self.walk()
        self.job = Job(
            ranks=self.ranks,
            standbys=self.standbys,
            options=self.options,
            arguments=[*self._arguments(), "--out", str(self.out)],
            environment=LIMITS | self.environment,
            script=self.script,
            folder=self.folder,
        )
        self.job.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End what still runs; frozen processes too."""
        for process in self.job.pids():
            self.job.signal(process, signal.SIGCONT)
        self.job.__exit__(kind, error, traceback)
        if self.relay is not None:
            self.relay.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def walk(self) -> None:
        """Sleep between steps from now on."""
        self._tell("pace", str(PACE_S))

    def run(self) -> None:
        """Do not sleep between steps any more."""
        (self.out / "pace").unlink(missing_ok=True)

    def status(self) -> Status | None:
        """Return the leader's status; None: nobody answers, or the job has not begun."""
        return self.job.status()

    def protected(self, *, standbys: int = 0) -> None:
        """Wait until every rank has a mirror, then let it run for a few steps.

        Raises:
            AssertionError: it does not come to that; says what the job has said.

        """
        self.walk()
        deadline_s = time.monotonic() + PROTECTED_S
        while not self._is_protected(standbys):
            over = any(each["kind"] in {"finished", "failed"} for each in self.job.notices)
            if over or time.monotonic() > deadline_s:
                raise AssertionError(f"not protected; the job said:\n{self.job.story()}")
            time.sleep(0.2)
        self.run()
        self.after(SETTLED_STEPS)

    def after(self, steps: int) -> None:
        """Wait until so many more steps are committed."""
        self.job.wait_step(self.committed() + steps)

    def committed(self) -> int:
        """Return how many steps the job says it has applied."""
        steps = [each["step"] for each in self.job.notices if each["kind"] == "committed"]
        return max(steps, default=-1) + 1

    def owner(self, rank: int) -> str:
        """Return who owns a rank."""
        status = self._asked()
        owners = {each.rank: each.member for each in status.ranks}
        owner = owners[rank]
        assert owner is not None, "every rank of an epoch has an owner"
        return owner

    def mirrors(self, rank: int) -> tuple[str, ...]:
        """Return who mirrors a rank."""
        return next(tuple(each.mirrors) for each in self._asked().ranks if each.rank == rank)

    def spare(self, rank: int) -> str:
        """Return a standby that does not mirror a rank."""
        mirrors = self.mirrors(rank)
        return next(each for each in self._asked().standbys if each not in mirrors)

    def swap(self, rank: int) -> dict[str, float]:
        """Move a rank on plan; return what the job measured."""
        with operator_of(self.directory, limits=Limits()) as operator:
            notice = operator.follow(operator.swap(rank=rank, reason="measured"))
        assert notice is not None, "the leader stays the same"
        return notice.values

    def aim(self, place: str, *, rank: int, number: int, ahead: int = 8) -> None:
        """Tell a rank where to die: so many steps from now."""
        self._tell("aim", f"{place}:{rank}:{self.committed() + ahead}:{number}")

    def wait_taken_over(self, since: int) -> dict[str, Any]:
        """Wait for the take-over, and let the new epoch do a few steps.

        Args:
            since: number of notices that were there before the disturbance.

        """
        notice = self.job.wait_for(
            lambda each: each["kind"] == "unplanned_completed", after=since, timeout_s=180
        )
        self.after(SETTLED_STEPS)
        return notice

    def end(self) -> Ended:
        """Tell all ranks the last step, wait for them, and compare with the twin."""
        self.walk()
        time.sleep(PACE_S * 3)
        steps = self.committed() + LAST_STEPS
        self._tell("last", str(steps))
        self.run()
        outcome = self.job.end()
        assert outcome.code == 0, self.job.story()
        ledger = read_ledger(directory=self.directory.ledger, limits=Limits())
        report = audit_ledger(
            ledger.records,
            order=SampleOrder(
                dataset_length=SAMPLES,
                batch_size=BATCH,
                micro_batches=1,
                world_size=self.ranks,
                seed=SEED,
            ),
            steps=steps,
        )
        twin = self._twin(steps)
        return Ended(
            outcome=outcome,
            attempts=written.read(self.out),
            steps=steps,
            samples_lost=sum(len(each.sample_ids) for each in report.missing),
            samples_doubled=sum(len(each.sample_ids) for each in report.doubled),
            bit_identical=identical(outcome, twin),
            losses_unwritten=len(twin.losses.keys() - outcome.losses.keys()),
        )

    def _twin(self, steps: int) -> Outcome:
        """Run the same without any disturbance."""
        with tempfile.TemporaryDirectory(prefix="hotswap-twin-") as name:
            folder = Path(name)
            job = Job(
                ranks=self.ranks,
                standbys=0,
                options=["--checkpoint-every", "0"],
                arguments=[*self._arguments(), "--steps", str(steps), "--out", f"{name}/out"],
                environment=UNDISTURBED,
                script=SCRIPT,
                folder=folder,
            )
            with job:
                outcome = job.end(timeout_s=1800)
                assert outcome.code == 0, job.story()
                return outcome

    def _arguments(self) -> list[str]:
        if not self.settings:
            return self.arguments
        same = ["--mode", self.mode, "--samples", str(SAMPLES), "--batch", str(BATCH)]
        return [*same, "--seed", str(SEED), *self.arguments]

    def _asked(self) -> Status:
        status = self.status()
        assert status is not None, "the leader answers"
        return status

    def _is_protected(self, standbys: int) -> bool:
        status = self.status()
        return (
            status is not None
            and status.swap is None
            and len(status.standbys) >= standbys
            and all(each.protection == "protected" for each in status.ranks)
        )

    def _tell(self, name: str, text: str) -> None:
        """Write a file so that it is there as a whole, or not at all."""
        (self.out / f".{name}").write_text(text)
        (self.out / f".{name}").replace(self.out / name)


def identical(outcome: Outcome, twin: Outcome) -> bool:
    """Whether nothing that was written differs from the twin, and every final state is the same.

    The loss of a step that counts may be missing: its writer was killed before it wrote it.
    """
    same_losses = all(twin.losses.get(key) == loss for key, loss in outcome.losses.items())
    return same_losses and bool(twin.digests) and outcome.digests == twin.digests

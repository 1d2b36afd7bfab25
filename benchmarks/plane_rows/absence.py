"""Takes the control plane away from a job that trains, and looks at both. Needs Django."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from apps.audit.selectors import audit_verify_all
from apps.jobs.models import Job, JobEvent, LossPoint
from apps.swaps.domain.band import HISTORY_POINTS_MIN
from apps.swaps.models import Swap
from benchmarks.figures import rounded
from benchmarks.plane_rows.event_lines import Commit, commits, events_read, pace, unheard
from benchmarks.plane_rows.scene import looked
from dev.demo.agents import PATIENCE
from dev.demo.world import MODEL, SCRIPT, STEPS
from dev.stack import state_file
from dev.stack.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benchmarks.plane_rows.stack import Stack
    from dev.demo.client import Person

RANKS: Final = 2
#: Torch starts three times on a busy machine, and each rank's state is copied once, s.
PROTECTED_S: Final = 400.0
#: From the return of the plane until it serves, has heard everything, and has driven a swap, s.
RECONCILED_S: Final = 400.0
#: Between two looks, s.
LOOK_EVERY_S: Final = 0.2
#: Least time over which the pace without an outage is taken, s.
PACE_S: Final = 10.0
#: Steps that were committed while nobody led are heard of by the next leader, all at once: the pace
#: with an outage is taken until so long after it, s.
CAUGHT_UP_S: Final = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A job that really trains on a plane of its own."""

    stack: Stack
    otto: Person
    ada: Person
    job: str
    directory: Path

    @classmethod
    def begin(cls, stack: Stack, *, otto: Person, ada: Person) -> Trial:
        """Have a job started; wait until it is protected, and validated often enough."""
        jobs = stack.layout.directory / "jobs"
        job = otto.post(
            "jobs",
            cluster=otto.every("clusters")[0]["id"],
            name="gpt",
            script=str(SCRIPT),
            arguments=["--steps", str(STEPS), *MODEL],
            ranks=RANKS,
            standbys=1,
            environment=PATIENCE,
            directory=str(jobs),
        )
        directory = jobs / f"gpt-{job['id'].replace('-', '')[-8:]}"
        trial = cls(stack=stack, otto=otto, ada=ada, job=job["id"], directory=directory)
        trial.wait(trial._is_protected, "a job that trains, protected", wait_s=PROTECTED_S)
        return trial

    def wait(self, find: Callable[[], object], what: str, *, wait_s: float = RECONCILED_S) -> None:
        """Wait for something in the database, which may be away."""
        wait_until(lambda: looked(find), what, wait_s=wait_s, every_s=LOOK_EVERY_S)

    def while_training(self, names: Sequence[str], outage_s: float) -> dict[str, object]:
        """Take processes away; return the pace of training before and meanwhile."""
        time.sleep(max(PACE_S, outage_s / 2))
        figures = self._absence(names, outage_s)
        self.wait(self._has_heard_all, "what happened meanwhile")
        return figures

    def while_swapping(self, names: Sequence[str], outage_s: float) -> dict[str, object]:
        """Take processes away when the command of a swap has gone out; return how it ended."""
        self.wait(self._is_protected, "a job that is protected", wait_s=PROTECTED_S)
        swap = self.otto.post("swaps", job=self.job, rank=0, reason="To be tried.")
        rows = Swap.objects.filter(id=swap["id"])
        self.wait(rows.filter(state="awaiting_approval").exists, "a request for approval")
        (request,) = self.ada.every("approvals", state="pending")
        path = f"approvals/{request['id']}/approve"
        self.ada.post(path, plan_digest=request["plan_digest"])
        self.wait(rows.exclude(command=None).filter(command__sent_at__isnull=False).exists, "sent")
        sent_in = rows.get().state
        figures = self._absence(names, outage_s)
        self.wait(rows.filter(ended_at__isnull=False).exists, "the swap's end")
        self.wait(self._has_heard_all, "what happened meanwhile")
        ended = rows.get()
        return {
            **figures,
            "was": sent_in,
            "ended": ended.state,
            "why": (ended.failure or {}).get("text", ""),
            "completed": ended.state == "completed",
            "certified": ended.certificate_id is not None,
        }

    def reconciled(self) -> dict[str, object]:
        """Compare what the plane knows with what the job's leaders have written down."""
        # the job goes on meanwhile: what was written until now is what the plane must come to know
        events = events_read(self.directory)
        written = {(each.epoch, each.step) for each in commits(events)}
        newest = max(step for _, step in written)
        self.wait(lambda: self._has_heard(newest), "what was written until now")
        points = LossPoint.objects.filter(job_id=self.job, step__lte=newest)
        told = set(points.values_list("epoch", "step"))
        rows = JobEvent.objects.filter(job_id=self.job).exclude(stream="")
        offsets = [place for place in rows.values_list("offset", flat=True) if place is not None]
        others = [place for place, each in enumerate(events) if each["kind"] != "committed"]
        last = max(offsets, default=0)
        return {
            "steps_unheard_by_the_plane": len(written - told),
            "steps_invented": len(told - written),
            "events_unheard_by_the_plane": len({p for p in others if p <= last} - set(offsets)),
            "events_doubled": len(offsets) - len(set(offsets)),
            "audit_verifies": all(each.ok for each in audit_verify_all().values()),
        }

    def _absence(self, names: Sequence[str], outage_s: float) -> dict[str, object]:
        """Kill processes and keep them away; return the pace once all is back."""
        held, directory = self.stack.supervisor.held, self.stack.layout.directory
        began_s = time.monotonic()
        held.update(names)
        try:
            for name in names:
                state_file.kill(directory, name)
            time.sleep(max(0.0, began_s + outage_s - time.monotonic()))
        finally:
            held.clear()
        return self._paces(began_s, time.monotonic())

    def _paces(self, began_s: float, ended_s: float) -> dict[str, object]:
        def found() -> list[Commit]:
            return commits(events_read(self.directory))

        until_s = ended_s + CAUGHT_UP_S
        wait_until(
            lambda: any(each.at_s >= until_s for each in found()),
            "a step after the outage",
            wait_s=RECONCILED_S,
        )
        before = pace(found(), from_s=began_s - PACE_S, until_s=began_s - 1)
        meanwhile = pace(found(), from_s=began_s, until_s=until_s)
        return {
            "steps_per_s_before": rounded(before),
            "steps_per_s_meanwhile": rounded(meanwhile),
            "pace_ratio": rounded(meanwhile / before) if before and meanwhile else None,
            "steps_unheard_by_leaders": unheard(found()),
        }

    def _is_protected(self) -> bool:
        job = Job.objects.get(id=self.job)
        return job.protection == "protected" and self._validations() >= HISTORY_POINTS_MIN

    def _validations(self) -> int:
        return LossPoint.objects.filter(job_id=self.job, validation_loss__isnull=False).count()

    def _has_heard_all(self) -> bool:
        """Whether the plane knows the step that is the newest now."""
        newest: Any = commits(events_read(self.directory))[-1]
        return self._has_heard(newest.step)

    def _has_heard(self, step: int) -> bool:
        return LossPoint.objects.filter(job_id=self.job, step=step).exists()

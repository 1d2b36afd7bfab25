"""The runtime of one job, as the plane sees it: it takes commands, and tells what it does.

Everything goes through the services that the agents' reports go through. What is told can be held
back, told twice, or lost with a leader.
"""

from dataclasses import dataclass, field
from typing import Any

from apps.jobs.models import Command
from apps.jobs.services.commands import commands_answer, commands_sent
from apps.jobs.services.ingest import job_ingest
from apps.swaps.services.takeovers import facts_arrived
from hotswap.wire.answers import Status
from hotswap.wire.plane import CertificateReport, CommandResult, JobReport, NoticeReport
from hotswap.wire.values import RankStatus
from tests.apps.swaps.world import World

PHASES = ("copying", "preparing", "verifying", "binding", "armed", "in_force", "completed")


@dataclass(slots=True)
class Running:
    """A planned swap in the coordinator."""

    id: str
    rank: int
    target: str
    phase: int = 0


@dataclass(slots=True)
class Runtime:
    """A job's coordinator, its members, and the agent that reports them."""

    world: World
    epoch: int = 1
    committed: int = 20
    token: int = 1
    validation_loss: float = 2.0
    running: Running | None = None
    swaps: int = 0
    # request -> (id, target), as the coordinator remembers them
    requests: dict[str, str] = field(default_factory=dict)
    owners: dict[int, str] = field(
        default_factory=lambda: {rank: f"node-{rank}" for rank in range(4)}
    )
    standbys: list[str] = field(default_factory=lambda: ["standby-4"])
    told: list[NoticeReport] = field(default_factory=list)
    offset: int = 0
    certificates: dict[str, dict[str, Any]] = field(default_factory=dict)
    results: dict[str, CommandResult] = field(default_factory=dict)
    over: bool = False

    # -------------------------------------------------------------------------------- commands

    def take_commands(self, *, answer: bool = True) -> int:
        """Carry out what the plane wants; ``answer`` False: the answers are lost for now."""
        commands = list(Command.objects.filter(state__in=("queued", "sent", "accepted")))
        commands_sent(ids=[each.id for each in commands], at=self.world.now)
        for command in commands:
            key = str(command.id)
            if key not in self.results:
                self.results[key] = self._carry_out(command)
        if answer:
            self.answer()
        return len(commands)

    def answer(self) -> None:
        """Give every answer, again too."""
        for key, result in self.results.items():
            node_id = Command.objects.get(id=key).node_id
            commands_answer(results={node_id: [result]}, at=self.world.now)
        facts_arrived(notable={self.world.job.id}, at=self.world.now)

    def _carry_out(self, command: Command) -> CommandResult:
        if command.deadline_at < self.world.now:
            return CommandResult(command=str(command.id), state="expired", detail="too late")
        if command.kind == "swap":
            return self._swap(command)
        if command.kind == "abort_swap":
            return self._abort_asked(command)
        return CommandResult(command=str(command.id), state="done")

    def _swap(self, command: Command) -> CommandResult:
        key, payload = str(command.id), command.payload
        refusal = None
        if self.over:
            refusal = "the job is over"
        elif self.running is not None:
            refusal = f"swap {self.running.id} is under way"
        elif payload["target_member"] not in self.standbys:
            refusal = f"{payload['target_member']} is no standby"
        if refusal is not None:
            return CommandResult(command=key, state="refused", detail=refusal)
        self.swaps += 1
        identity = f"{self.swaps:04d}-planned-rank-{payload['rank']}"
        self.running = Running(id=identity, rank=payload["rank"], target=payload["target_member"])
        self._phase()
        return CommandResult(
            command=key, state="done", values={"swap": identity, "target": self.running.target}
        )

    def _abort_asked(self, command: Command) -> CommandResult:
        key, running = str(command.id), self.running
        if running is None or running.id != command.payload["swap"]:
            return CommandResult(command=key, state="refused", detail="unknown_swap")
        if PHASES[running.phase] == "in_force":
            return CommandResult(command=key, state="refused", detail="too_late")
        self.abort("aborted by plane")
        return CommandResult(command=key, state="done")

    # --------------------------------------------------------------------------------- progress

    def go_on(self, phases: int = 1) -> None:
        """Let the planned swap take its next phases, each followed by a step."""
        for _ in range(phases):
            running = self.running
            if running is None:
                return
            running.phase += 1
            if PHASES[running.phase] == "in_force":
                self.epoch += 1
                self.owners[running.rank] = running.target
                self.standbys.remove(running.target)
            if PHASES[running.phase] == "completed":
                self._completed(running)
            else:
                self._phase()
            self.commit()

    def _phase(self) -> None:
        running = self.running
        assert running is not None
        phase = PHASES[running.phase]
        step = self.committed if phase == "in_force" else None
        self._tell("swap_phase", rank=running.rank, member=running.target, text=phase, step=step)

    def _completed(self, running: Running) -> None:
        self.running = None
        step = self.committed - 1
        self._tell(
            "swap_completed",
            rank=running.rank,
            member=running.target,
            step=step,
            text=f"swap {running.id}: It is getting worse.",
            values={"pause_ms": 41.5, "steps_lost": 0.0},
        )
        self.certificates[running.id] = {
            "swap_id": running.id,
            "digest_before": "a" * 64,
            "digest_after": "a" * 64,
            "step": step,
        }

    def abort(self, reason: str) -> None:
        """Give the planned swap up, as long as it is not in force."""
        running = self.running
        if running is None or PHASES[running.phase] == "in_force":
            return
        self.running = None
        self._tell(
            "swap_aborted",
            rank=running.rank,
            member=running.target,
            text=f"swap {running.id}: {reason}",
        )

    def lose(self, rank: int, *, complete: bool = True) -> None:
        """Kill the owner of a rank; a standby takes over, if there is one."""
        owner = self.owners[rank]
        self._tell("member_lost", rank=rank, member=owner, text=f"{owner} exited with status -9")
        running = self.running
        if running is not None and PHASES[running.phase] == "in_force":
            self._completed(running)
        self.abort(f"epoch {self.epoch} died: {owner} was lost")
        self._tell("epoch_dead", text=f"{owner} was lost")
        if complete and self.standbys:
            self.take_over(rank)

    def take_over(self, rank: int) -> None:
        """Let a standby take a lost rank over."""
        self.swaps += 1
        identity = f"{self.swaps:04d}-unplanned-rank-{rank}"
        self.epoch += 1
        self.owners[rank] = self.standbys.pop(0)
        self._tell(
            "unplanned_completed",
            rank=rank,
            member=self.owners[rank],
            step=self.committed,
            text=f"swap {identity}: exited with status -9",
            values={"stall_ms": 190.0, "steps_lost": 0.0},
        )
        self.certificates[identity] = {
            "swap_id": identity,
            "digest_before": None,
            "digest_after": "b" * 64,
            "step": self.committed,
        }

    def commit(self, steps: int = 1) -> None:
        """Commit steps."""
        for _ in range(steps):
            values = {
                "loss": 3.0,
                "step_s": 0.5,
                "samples": 8.0,
                "validation_loss": self.validation_loss,
            }
            self._tell("committed", step=self.committed, values=values)
            self.committed += 1

    def end(self, kind: str = "finished") -> None:
        """End the job."""
        self.abort("the job is over")
        self.over = True
        self._tell(kind, text=kind)

    def change_leader(self, *, notices_lost: bool = False) -> None:
        """Elect another leader: a planned swap that is not in force is given up."""
        self.token += 1
        self.abort("the leader has changed")
        if notices_lost:
            self.forget()

    def forget(self) -> None:
        """Lose every notice that was not reported yet."""
        self.told.clear()

    def _tell(self, kind: str, **fields: Any) -> None:
        values = fields.pop("values", {})
        self.told.append(
            NoticeReport(
                offset=self.offset,
                at=self.world.now.isoformat(),
                monotonic_s=0.0,
                leader="coordinator-0",
                token=self.token,
                kind=kind,
                epoch=self.epoch,
                values=values,
                **fields,
            )
        )
        self.offset += 1

    # ---------------------------------------------------------------------------------- reports

    def report(self, *, keep: bool = False, snapshot: bool = True, certify: bool = True) -> None:
        """Report what is new; with ``keep`` it will be reported once more."""
        certificates = tuple(
            CertificateReport(swap=swap, document=dict(document))
            for swap, document in self.certificates.items()
        )
        report = JobReport(
            job=str(self.world.job.id),
            stream="run-1",
            offset=self.offset,
            notices=tuple(self.told),
            status=self._status() if snapshot else None,
            certificates=certificates if certify else (),
        )
        found = job_ingest(
            tenant_id=self.world.tenant.id,
            node_id=self.world.nodes["n1"].id,
            report=report,
            at=self.world.now,
        )
        if not keep:
            self.told.clear()
        # as the gateway does
        assert found is not None, "the job is there"
        jobs = {found.job_id}
        facts_arrived(
            notable=jobs if found.notable else (),
            stepped=jobs if found.stepped and not found.notable else (),
            at=self.world.now,
        )

    def _status(self) -> Status:
        return Status(
            job="gpt",
            leader="coordinator-0",
            token=self.token,
            phase="finished" if self.over else "running",
            epoch=self.epoch,
            committed=self.committed,
            world_size=4,
            ranks=tuple(
                RankStatus(
                    rank=rank,
                    member=owner,
                    committed=self.committed,
                    protection="protected" if self.standbys else "unprotected",
                    mirrors=tuple(self.standbys),
                    lag_steps=0 if self.standbys else None,
                )
                for rank, owner in self.owners.items()
            ),
            standbys=tuple(self.standbys),
            swap=None if self.running is None else self.running.id,
            swap_phase=None if self.running is None else PHASES[self.running.phase],
        )

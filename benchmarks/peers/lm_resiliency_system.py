"""lm-resiliency 0.2.0: torchrun restarts the ranks, the state comes back from a peer's memory."""

from dataclasses import dataclass

from benchmarks.peers import environment
from benchmarks.peers import model as shared
from benchmarks.peers.drive import drive
from benchmarks.peers.processes import REPOSITORY, Job
from benchmarks.peers.system import Case, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class LmResiliency:
    """One configuration of lm-resiliency."""

    name: str
    configuration: str
    # steps between two copies into memory
    checkpoint_every_steps: int
    # time-out of the collectives, seconds
    collective_timeout_s: float

    def prepare(self) -> None:
        """Install the peers' environment, and lm-resiliency beside it."""
        environment.prepare()

    def run(self, case: Case) -> Outcome:
        """Start one agent with all ranks."""
        with Job(case) as job:
            job.launch(
                "torchrun",
                [
                    str(environment.binary("torchrun")),
                    "--standalone",
                    f"--nproc-per-node={shared.RANKS}",
                    "--max-restarts=3",
                    "--module",
                    "benchmarks.peers.train_lm_resiliency",
                    f"--checkpoints={case.directory / 'checkpoints'}",
                    f"--every-steps={self.checkpoint_every_steps}",
                    f"--collective-timeout-s={self.collective_timeout_s}",
                ],
                environment={
                    "PYTHONPATH": f"{environment.LM_RESILIENCY}:{REPOSITORY}",
                    # see torchrun_system: otherwise restarted workers never connect
                    "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
                    "LM_RESILIENCY_RUN_ID": "benchmark",
                },
            )
            return drive(job)


EVERY_STEP = LmResiliency(
    name="lm-resiliency 0.2.0",
    configuration="GEMINI in memory and at the peer every step, torchrun --max-restarts=3",
    checkpoint_every_steps=1,
    collective_timeout_s=10,
)

"""torchrun 2.13 with checkpoints: all ranks start again from the newest one when one has died."""

from dataclasses import dataclass

from benchmarks.peers import environment
from benchmarks.peers import model as shared
from benchmarks.peers.drive import drive
from benchmarks.peers.processes import Job
from benchmarks.peers.system import Case, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Torchrun:
    """One configuration of torchrun."""

    name: str
    configuration: str
    # steps between two checkpoints
    checkpoint_every_steps: int
    # time-out of the collectives, seconds
    collective_timeout_s: float

    def prepare(self) -> None:
        """Install the peers' environment, whose torch is used."""
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
                    "benchmarks.peers.train_torchrun",
                    f"--checkpoints={case.directory / 'checkpoints'}",
                    f"--every-steps={self.checkpoint_every_steps}",
                    f"--collective-timeout-s={self.collective_timeout_s}",
                ],
                # with a store shared between restarts, new workers read addresses of the dead ones
                # and never connect
                environment={"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"},
            )
            return drive(job)


EVERY_10_STEPS = Torchrun(
    name="torchrun 2.13, checkpoints",
    configuration="torch.distributed.checkpoint every 10 steps, --standalone, --max-restarts=3",
    checkpoint_every_steps=10,
    collective_timeout_s=10,
)

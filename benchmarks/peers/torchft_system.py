"""torchft 0.2.0: replica groups of one process, a lighthouse, and a launcher that restarts.

The launcher is this module: it starts a failed replica again at once, sooner than the agents that
the project suggests would. All other waits are torchft's own.
"""

from dataclasses import dataclass

from benchmarks.peers import environment
from benchmarks.peers import model as shared
from benchmarks.peers.drive import drive
from benchmarks.peers.ports import free_port
from benchmarks.peers.processes import Job
from benchmarks.peers.system import Case, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Torchft:
    """One configuration of torchft."""

    name: str
    configuration: str
    # the project's DistributedDataParallel averages the gradients; else one call of the manager
    wrapper: bool
    # replicas beyond the active ones
    spares: int
    # times that the launcher starts a killed replica again
    restarts: int
    # options of the lighthouse, by name
    lighthouse: tuple[str, ...]
    # time-outs of the collectives and of the manager, seconds
    collective_timeout_s: float
    manager_timeout_s: float
    quorum_timeout_s: float

    def prepare(self) -> None:
        """Install the peers' environment."""
        environment.prepare()

    def run(self, case: Case) -> Outcome:
        """Start the lighthouse and the replicas."""
        address = f"[::1]:{free_port()}"
        with Job(case) as job:
            job.launch(
                "lighthouse",
                [
                    str(environment.binary("torchft_lighthouse")),
                    f"--bind={address}",
                    f"--min_replicas={shared.RANKS if self.spares else 1}",
                    *self.lighthouse,
                ],
                helper=True,
            )
            for slot in range(shared.RANKS + self.spares):
                job.launch(
                    f"replica{slot}",
                    [
                        str(environment.binary("python")),
                        "-m",
                        "benchmarks.peers.train_torchft",
                        f"--slot={slot}",
                        f"--spares={self.spares}",
                        *(["--wrapper"] if self.wrapper else []),
                        f"--collective-timeout-s={self.collective_timeout_s}",
                        f"--manager-timeout-s={self.manager_timeout_s}",
                        f"--quorum-timeout-s={self.quorum_timeout_s}",
                    ],
                    environment={"TORCHFT_LIGHTHOUSE": f"http://{address}"},
                    restarts=self.restarts,
                )
            return drive(job)


# The wrapper that the project recommends fails in the survivor when a peer is killed, which then
# loses its state as well: shown once, as it is. The other rows average by a call of the manager.
AS_ITS_EXAMPLE = Torchft(
    name="torchft 0.2.0, as its example",
    configuration="its DistributedDataParallel, limits of its example, killed one restarted",
    wrapper=True,
    spares=0,
    restarts=5,
    lighthouse=(),
    collective_timeout_s=5,
    manager_timeout_s=30,
    quorum_timeout_s=60,
)
DEFAULT = Torchft(
    name="torchft 0.2.0, default limits",
    configuration="gradients averaged by Manager.allreduce, same limits, killed one restarted",
    wrapper=False,
    spares=0,
    restarts=5,
    lighthouse=(),
    collective_timeout_s=5,
    manager_timeout_s=30,
    quorum_timeout_s=60,
)
_TUNED_LIGHTHOUSE = (
    "--heartbeat_timeout_ms=500",
    "--join_timeout_ms=2000",
    "--quorum_tick_ms=20",
)
TUNED = Torchft(
    name="torchft 0.2.0, tuned",
    configuration="heartbeat 0.5 s, tick 20 ms, collectives 1 s, manager 5 s, killed one restarted",
    wrapper=False,
    spares=0,
    restarts=5,
    lighthouse=_TUNED_LIGHTHOUSE,
    collective_timeout_s=1,
    manager_timeout_s=5,
    quorum_timeout_s=30,
)
TUNED_SPARE = Torchft(
    name="torchft 0.2.0, tuned, 1 spare",
    configuration="the same limits, FIXED_WITH_SPARES: a third replica computes along",
    wrapper=False,
    spares=1,
    restarts=0,
    lighthouse=_TUNED_LIGHTHOUSE,
    collective_timeout_s=1,
    manager_timeout_s=5,
    quorum_timeout_s=30,
)

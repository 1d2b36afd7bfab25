"""What a person asks of `hotswap run`, as a value."""

from dataclasses import dataclass
from pathlib import Path

from hotswap.node.fleet_values import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One run of one script."""

    script: Path
    arguments: tuple[str, ...] = ()
    plan: Plan
    # name of the job; None takes one from the script
    job: str | None = None
    # address on which the processes of the job find each other
    host: str = "127.0.0.1"
    # seed for the processes; None leaves it to the script
    seed: int | None = None
    # steps between two micro-checkpoints; None writes none
    checkpoint_every_steps: int | None = None
    # where the processes' output goes; None: into the job's directory
    log_directory: Path | None = None
    # state directory of the agent that is to show the job to the control plane; None: nobody is
    agent_state: Path | None = None

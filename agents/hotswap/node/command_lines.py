"""Command lines and environments of the processes that the launcher starts. Pure."""

import sys
from collections.abc import Mapping
from pathlib import Path

from hotswap.environment import JOB_KEY, VARIABLES, MemberEnvironment
from hotswap.node.fleet_values import Start
from hotswap.node.request import RunRequest

#: Place of the process among those of the job on this machine: the device it should take.
SLOT = "LOCAL_RANK"

#: Set unless the user has: one thread per process, as N processes share the machine; output that
#: is in the log when a process is killed; a trace when one dies of a signal.
DEFAULTS = {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"}


def trainer_command(request: RunRequest) -> tuple[str, ...]:
    """Give the command that runs the script in a process of the job."""
    script = str(request.script)
    return (sys.executable, "-m", "hotswap.runtime.bootstrap", script, *request.arguments)


def trainer_environment(
    *, inherited: Mapping[str, str], request: RunRequest, start: Start, job: Path, key: bytes
) -> dict[str, str]:
    """Give the environment of one trainer; ``job`` is the job's directory."""
    member = MemberEnvironment(
        job=job.name,
        job_directory=job,
        job_key=key,
        member=start.name,
        wanted_rank=start.wanted_rank,
        world_size=request.plan.ranks,
        host=request.host,
        seed=request.seed,
        checkpoint_directory=job / "checkpoints",
        checkpoint_every_steps=request.checkpoint_every_steps,
    )
    return _base(inherited) | member.to_environment() | {SLOT: str(start.slot)}


def coordinator_command(request: RunRequest, *, start: Start, job: Path) -> tuple[str, ...]:
    """Give the command that runs a coordinator; ``job`` is the job's directory."""
    return (
        sys.executable,
        "-m",
        "hotswap.coordinator.server",
        "--job-directory",
        str(job),
        "--name",
        start.name,
        "--world-size",
        str(request.plan.ranks),
        "--host",
        request.host,
    )


def coordinator_environment(*, inherited: Mapping[str, str], key: bytes) -> dict[str, str]:
    """Give the environment of a coordinator: the key stands in no command line, for all to see."""
    return _base(inherited) | {JOB_KEY: key.hex()}


def _base(inherited: Mapping[str, str]) -> dict[str, str]:
    """Give what every process gets: the user's environment without another job's variables."""
    return DEFAULTS | {name: value for name, value in inherited.items() if name not in VARIABLES}

"""Command lines and environments of the processes that the plane wants. Pure."""

from collections.abc import Mapping
from pathlib import Path

from hotswap.environment import JOB_KEY, VARIABLES
from hotswap.node.agent.limits import PREFIX
from hotswap.node.agent.members import Launch
from hotswap.node.agent.settings import ENROL_VARIABLE
from hotswap.node.command_lines import (
    coordinator_command,
    coordinator_environment,
    trainer_command,
    trainer_environment,
)
from hotswap.node.fleet_values import Kind, Plan, Start
from hotswap.node.job_directory import JobDirectory
from hotswap.node.request import RunRequest
from hotswap.wire.plane import Command, StartCoordinator, StartMember


def member_launch(
    command: Command,
    wanted: StartMember,
    *,
    directory: JobDirectory,
    key: bytes,
    inherited: Mapping[str, str],
) -> Launch:
    """Say how a process that trains is started."""
    kind = Kind.STANDBY if wanted.rank is None else Kind.RANK
    request = RunRequest(
        script=Path(wanted.script),
        arguments=wanted.arguments,
        plan=Plan(ranks=wanted.world_size, standbys=0, coordinators=0),
        host=wanted.host,
        seed=wanted.seed,
        checkpoint_every_steps=wanted.checkpoint_every_steps,
    )
    environment = trainer_environment(
        inherited=_inherited(inherited, wanted.environment),
        request=request,
        start=Start(name=wanted.member, kind=kind, slot=wanted.slot),
        job=directory.path,
        key=key,
    )
    # the launcher gives ranks out in the order of slots; here they are independent
    rank = {} if wanted.rank is None else {"HOTSWAP_RANK": str(wanted.rank)}
    return Launch(
        job=command.job or "",
        member=wanted.member,
        role="standby" if wanted.rank is None else "rank",
        command_id=command.id,
        command=trainer_command(request),
        environment=environment | rank,
        logs=directory.logs,
    )


def coordinator_launch(
    command: Command,
    wanted: StartCoordinator,
    *,
    directory: JobDirectory,
    key: bytes,
    inherited: Mapping[str, str],
) -> Launch:
    """Say how a coordinator is started."""
    request = RunRequest(
        script=Path(),
        plan=Plan(ranks=wanted.world_size, standbys=0, coordinators=0),
        host=wanted.host,
    )
    start = Start(name=wanted.member, kind=Kind.COORDINATOR, slot=0)
    inherited = _inherited(inherited, wanted.environment)
    return Launch(
        job=command.job or "",
        member=wanted.member,
        role="coordinator",
        command_id=command.id,
        command=coordinator_command(request, start=start, job=directory.path),
        environment=coordinator_environment(inherited=inherited, key=key),
        logs=directory.logs,
    )


def _inherited(inherited: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Give the agent's environment without what is the agent's alone, and with what was given."""
    mine = {
        name: text
        for name, text in inherited.items()
        if not name.startswith(PREFIX) and name != ENROL_VARIABLE
    }
    reserved = {JOB_KEY, *VARIABLES}
    return mine | {name: text for name, text in given.items() if name not in reserved}

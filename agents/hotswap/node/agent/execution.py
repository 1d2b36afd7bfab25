"""Carries out what the plane wants, one command at a time, and says what became of it."""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path

import structlog

from hotswap.errors import (
    CommandRefused,
    CoordinatorUnreachable,
    HotswapError,
    JobUnknown,
    RequestRefused,
)
from hotswap.limits import Limits
from hotswap.node.agent.admission import refused, result_of
from hotswap.node.agent.attached_run import stop_run
from hotswap.node.agent.hosted_jobs import HostedJobs
from hotswap.node.agent.launches import coordinator_launch, member_launch
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.places import existing, prepare
from hotswap.node.agent.quarantine import QuarantineFile
from hotswap.node.job_directory import JobDirectory
from hotswap.node.operator_client import Operator, operator_of
from hotswap.wire.plane import (
    AbortSwap,
    Attach,
    Command,
    CommandResult,
    Payload,
    Prepare,
    Quarantine,
    StartCoordinator,
    StartMember,
    StopJob,
    StopMember,
    Swap,
)

_log = structlog.get_logger()

Values = dict[str, str | int | float | None]


class Execution:
    """Turns commands into results. Every command may be carried out twice, with one effect."""

    def __init__(
        self,
        jobs: HostedJobs,
        *,
        quarantine: QuarantineFile,
        environment: Mapping[str, str],
        limits: Limits,
        agent_limits: AgentLimits,
    ) -> None:
        """Prepare; ``environment`` is what processes inherit."""
        self._jobs = jobs
        self._quarantine = quarantine
        self._environment = environment
        self._limits = limits
        self._agent_limits = agent_limits

    async def carry_out(self, command: Command, payload: Payload) -> CommandResult:
        """Do what ``command`` says; give its final result."""
        try:
            values = await self._do(command, payload)
        except CommandRefused as error:
            result = refused(command, error.refusal, str(error))
        except RequestRefused as error:
            result = refused(command, error.refusal, str(error))
        except HotswapError as error:
            result = result_of(command, "failed", str(error), {"code": error.code})
        except OSError as error:
            detail = f"{error.strerror} ({error.filename})"
            result = result_of(command, "failed", detail, {"code": "os_error"})
        else:
            result = result_of(command, "done", values=values)
        _log.info(
            "command_ended",
            command=command.id,
            kind=command.kind,
            state=result.state,
            detail=result.detail,
        )
        return result

    async def _do(self, command: Command, payload: Payload) -> Values:
        match payload:
            case StartMember() | StartCoordinator():
                return self._start(command, payload)
            case StopMember():
                return await self._stop(command, (payload.member,), payload.grace_s)
            case StopJob():
                return await self._stop_job(command, payload)
            case Swap() | AbortSwap() | Prepare():
                return await self._ask_leader(command, payload)
            case Attach():
                directory = existing(payload.place, environment=self._environment)
                self._jobs.attach(command.job or "", directory)
                return {"directory": str(directory.path)}
            case Quarantine():
                self._quarantine.set(payload.reason or "quarantine" if payload.on else None)
                return {}

    def _start(self, command: Command, wanted: StartMember | StartCoordinator) -> Values:
        if self._quarantine.reason is not None:
            raise CommandRefused(
                f"this node is in quarantine ({self._quarantine.reason}): nothing new is started "
                "here",
                refusal="quarantined",
            )
        if isinstance(wanted, StartMember) and not Path(wanted.script).is_file():
            raise CommandRefused(
                f"there is no script {wanted.script} on this node: put it there",
                refusal="script_missing",
            )
        directory = prepare(wanted.place, environment=self._environment)
        forwards = isinstance(wanted, StartCoordinator)
        self._jobs.host(command.job or "", directory, forwards=forwards)
        launch = (
            coordinator_launch(
                command,
                wanted,
                directory=directory,
                key=directory.read_key(),
                inherited=self._environment,
            )
            if isinstance(wanted, StartCoordinator)
            else member_launch(
                command,
                wanted,
                directory=directory,
                key=directory.read_key(),
                inherited=self._environment,
            )
        )
        record = self._jobs.members.start(launch)
        return {"pid": record.pid, "directory": str(directory.path)}

    async def _stop_job(self, command: Command, wanted: StopJob) -> Values:
        attached = self._jobs.attached_directory_of(command.job or "")
        if attached is not None:
            await stop_run(attached, grace_s=wanted.grace_s)
            return {}
        members = [each for each in self._jobs.members.of(command.job or "") if each.lives]
        trainers = tuple(each.member for each in members if each.role != "coordinator")
        leaders = tuple(each.member for each in members if each.role == "coordinator")
        await self._stop(command, trainers, wanted.grace_s)
        return await self._stop(command, leaders, wanted.grace_s)

    async def _stop(self, command: Command, names: tuple[str, ...], grace_s: float) -> Values:
        job = command.job or ""
        unknown = [name for name in names if self._jobs.members.get(job, name) is None]
        if unknown:
            raise CommandRefused(
                f"no {', '.join(unknown)} of this job was started here", refusal="unknown_member"
            )
        await self._jobs.members.stop(job, names, grace_s=grace_s)
        records = [self._jobs.members.get(job, name) for name in names]
        living = [each.member for each in records if each is not None and each.lives]
        if living:
            raise CommandRefused(
                f"{', '.join(living)} can't be killed: see what holds it", refusal="still_running"
            )
        first = records[0] if records else None
        return {} if first is None else {"exit_status": first.exit_status}

    async def _ask_leader(self, command: Command, wanted: Swap | AbortSwap | Prepare) -> Values:
        directory = self._jobs.directory_of(command.job or "")
        if directory is None:
            raise JobUnknown(f"job {command.job} is not known on this node: ask one that hosts it")
        deadline_s = time.monotonic() + self._agent_limits.command_s
        while True:
            try:
                return await asyncio.to_thread(_ask, directory, self._limits, command, wanted)
            except CoordinatorUnreachable:
                # the leader answers a request that it knows alike, so that it can be asked again
                if time.monotonic() >= deadline_s:
                    raise


def _ask(
    directory: JobDirectory, limits: Limits, command: Command, wanted: Swap | AbortSwap | Prepare
) -> Values:
    """Ask the job's leader, in a thread of its own."""
    with operator_of(directory, limits=limits) as operator:
        return _requested(operator, command, wanted)


def _requested(operator: Operator, command: Command, wanted: Swap | AbortSwap | Prepare) -> Values:
    match wanted:
        case Swap():
            accepted = operator.swap(
                rank=wanted.rank,
                target=wanted.target_member,
                reason=wanted.reason,
                request=command.id,
            )
            return {"swap": accepted.swap, "target": accepted.target, "rank": accepted.rank}
        case AbortSwap():
            status = operator.abort(wanted.swap)
            return {"swap": wanted.swap, "swap_phase": status.swap_phase}
        case Prepare():
            status = operator.prepare(rank=wanted.rank, member=wanted.member)
            return {"rank": wanted.rank, "phase": status.phase}

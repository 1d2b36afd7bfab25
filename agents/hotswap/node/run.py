"""The command `hotswap run`: from a request to an exit code."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO

from hotswap.errors import JobError
from hotswap.limits import Limits
from hotswap.node.agent.attachable import want
from hotswap.node.exit_codes import ExitCode
from hotswap.node.fleet_values import End
from hotswap.node.job_directory import JobDirectory, claim, jobs_directory
from hotswap.node.launcher import Launcher, Outcome
from hotswap.node.request import RunRequest
from hotswap.node.run_record import (
    EndState,
    JobDescription,
    JobResult,
    write_description,
    write_result,
)
from hotswap.node.terminal import Display, Moment, Said, choose

#: How the end of a run reads.
ENDINGS: Mapping[EndState, str] = {
    "finished": "has finished",
    "failed": "has failed",
    "stopped": "was stopped",
}


def run(
    request: RunRequest,
    *,
    environment: Mapping[str, str],
    output: TextIO,
    json: bool,
    now: Callable[[], Moment],
) -> ExitCode:
    """Run a job to its end; ``now`` gives the time of what is recorded.

    Raises:
        JobInUse: a living run has the name.
        JobError: the job's directory cannot be made.
        EnvironmentInvalid, LimitsOutOfOrder: a ``HOTSWAP_`` variable is wrong.

    """
    limits = Limits.from_environment(environment)
    claimed = claim(jobs=jobs_directory(environment), name=request.job, stem=request.script.stem)
    display = choose(
        output,
        json=json,
        every_s=limits.plain_line_every_s,
        now=now,
    )
    try:
        logs = _log_directory(request, claimed.directory)
        write_description(
            claimed.directory,
            _description(request, claimed.directory, logs=logs, now_unix_s=now().unix_s),
        )
        if request.agent_state is not None:
            want(request.agent_state, claimed.directory)
        launcher = Launcher(
            request=request,
            directory=claimed.directory,
            logs=logs,
            environment=environment,
            limits=limits,
            display=display,
        )
        outcome = _launch(launcher, request, claimed.directory, display)
        write_result(claimed.directory, _result(outcome, now_unix_s=now().unix_s))
        return outcome.exit_code
    finally:
        display.close()
        claimed.release()


def _launch(
    launcher: Launcher, request: RunRequest, directory: JobDirectory, display: Display
) -> Outcome:
    """Say what is started, run it to its end, and say how it ended."""
    plan = request.plan
    text = (
        f"job {directory.name}: {_counted(plan.ranks, 'rank')}, "
        f"{_counted(plan.standbys, 'standby')}, {_counted(plan.coordinators, 'coordinator')}; "
        f"logs in {launcher.logs}"
    )
    display.say(Said(kind="started", text=text))
    try:
        outcome = asyncio.run(launcher.run())
    except JobError as error:  # something could not be started
        end = End(ok=False, reason=str(error))
        outcome = Outcome(end=end, exit_code=ExitCode.FAILED, committed=None)
    reason = f": {outcome.end.reason}" if outcome.end.reason else ""
    display.say(Said(kind="ended", text=f"job {directory.name} {ENDINGS[outcome.state]}{reason}"))
    return outcome


def _counted(number: int, what: str) -> str:
    """Put a number before its word."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _log_directory(request: RunRequest, directory: JobDirectory) -> Path:
    """Give the directory of the logs, made if it is missing."""
    logs = (request.log_directory or directory.logs).absolute()
    try:
        logs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JobError(
            f"cannot make the log directory {logs}: {error.strerror}; choose another "
            "--log-directory"
        ) from error
    return logs


def _description(
    request: RunRequest, directory: JobDirectory, *, logs: Path, now_unix_s: float
) -> JobDescription:
    return JobDescription(
        job=directory.name,
        ranks=request.plan.ranks,
        standbys=request.plan.standbys,
        coordinators=request.plan.coordinators,
        script=str(request.script.absolute()),
        arguments=request.arguments,
        pid=os.getpid(),
        started_unix_s=now_unix_s,
        logs=str(logs),
    )


def _result(outcome: Outcome, *, now_unix_s: float) -> JobResult:
    return JobResult(
        state=outcome.state,
        reason=outcome.end.reason,
        committed=outcome.committed,
        exit_code=outcome.exit_code,
        ended_unix_s=now_unix_s,
    )

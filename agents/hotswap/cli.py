"""The `hotswap` command: translates a command line into one call, and errors into exit codes."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from hotswap.errors import EnvironmentInvalid, HotswapError
from hotswap.limits import Limits
from hotswap.node import commands, operate, run
from hotswap.node.arguments import build_parser
from hotswap.node.exit_codes import ExitCode, exit_code
from hotswap.node.fleet_values import Plan
from hotswap.node.job_directory import find, jobs_directory
from hotswap.node.operator_client import Operator
from hotswap.node.report import write_json
from hotswap.node.request import RunRequest
from hotswap.node.terminal import Moment


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    arguments = build_parser().parse_args(argv)
    try:
        return COMMANDS[arguments.command](arguments)
    except HotswapError as error:
        sys.stderr.write(f"hotswap: {error}\n")
        if arguments.json:
            write_json(sys.stdout, {"kind": "error", "code": error.code, "text": str(error)})
        return exit_code(error)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # whoever read the output has heard enough; the interpreter must not try to write the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE


def _run(arguments: argparse.Namespace) -> ExitCode:
    request = RunRequest(
        script=arguments.script,
        arguments=tuple(arguments.arguments),
        plan=Plan(
            ranks=arguments.ranks,
            standbys=arguments.standbys,
            coordinators=arguments.coordinators,
            respawn=arguments.respawn,
        ),
        job=arguments.job,
        seed=arguments.seed,
        checkpoint_every_steps=arguments.checkpoint_every or None,
        log_directory=arguments.log_directory,
        agent_state=arguments.agent,
    )
    return run.run(
        request,
        environment=os.environ,
        output=sys.stdout,
        json=arguments.json,
        now=_now,
    )


def _now() -> Moment:
    return Moment(unix_s=datetime.now(UTC).timestamp(), monotonic_s=time.monotonic())


def _swap(arguments: argparse.Namespace) -> ExitCode:
    with _operator(arguments) as operator:
        return operate.swap(
            operator,
            rank=arguments.rank,
            target=arguments.to,
            reason=arguments.reason,
            wait=arguments.wait,
            output=sys.stdout,
            json=arguments.json,
        )


def _abort(arguments: argparse.Namespace) -> ExitCode:
    with _operator(arguments) as operator:
        return operate.abort(operator, swap=arguments.swap, output=sys.stdout, json=arguments.json)


def _prepare(arguments: argparse.Namespace) -> ExitCode:
    with _operator(arguments) as operator:
        return operate.prepare(
            operator,
            rank=arguments.rank,
            member=arguments.on,
            output=sys.stdout,
            json=arguments.json,
        )


def _status(arguments: argparse.Namespace) -> ExitCode:
    with _operator(arguments) as operator:
        return operate.show_status(operator, output=sys.stdout, json=arguments.json)


def _jobs(arguments: argparse.Namespace) -> ExitCode:
    return commands.list_jobs(
        jobs=jobs_directory(os.environ), output=sys.stdout, json=arguments.json
    )


def _certificate(arguments: argparse.Namespace) -> ExitCode:
    if arguments.file is not None:
        return commands.show_certificate_file(
            path=arguments.file, output=sys.stdout, json=arguments.json
        )
    return commands.show_certificates(
        jobs=jobs_directory(os.environ),
        name=arguments.job,
        swap=arguments.swap,
        output=sys.stdout,
        json=arguments.json,
    )


def _ledger(arguments: argparse.Namespace) -> ExitCode:
    # only here, as it brings torch along, which takes seconds
    from hotswap.runtime.data import read_ledger  # noqa: PLC0415 - see above

    directory = find(jobs=jobs_directory(os.environ), name=arguments.job)
    contents = read_ledger(directory=directory.ledger, limits=Limits.from_environment(os.environ))
    return commands.show_ledger(
        directory,
        records=contents.records,
        torn=contents.torn,
        output=sys.stdout,
        json=arguments.json,
    )


def _agent(arguments: argparse.Namespace) -> ExitCode:
    # only here, as it needs what `hotswap[agent]` installs
    try:
        from hotswap.node.agent.main import run_agent  # noqa: PLC0415 - see above
        from hotswap.node.agent.settings import ENROL_VARIABLE, AgentSettings  # noqa: PLC0415 - likewise
    except ModuleNotFoundError as error:
        raise EnvironmentInvalid(
            f"{error.name} is not installed: `pip install 'hotswap[agent]'` brings what an agent "
            "needs"
        ) from error
    settings = AgentSettings(
        plane=arguments.plane,
        token=arguments.token or os.environ.get(ENROL_VARIABLE),
        node=arguments.name,
        state=arguments.state,
        authority=arguments.authority,
        authority_digest=arguments.authority_digest,
        scenario=arguments.simulate,
    )
    return run_agent(settings, environment=os.environ)


def _operator(arguments: argparse.Namespace) -> Operator:
    return operate.connect(
        jobs=jobs_directory(os.environ),
        name=arguments.job,
        limits=Limits.from_environment(os.environ),
    )


COMMANDS: Mapping[str, Callable[[argparse.Namespace], ExitCode]] = {
    "run": _run,
    "agent": _agent,
    "swap": _swap,
    "abort": _abort,
    "prepare": _prepare,
    "status": _status,
    "jobs": _jobs,
    "certificate": _certificate,
    "ledger": _ledger,
}

if __name__ == "__main__":
    raise SystemExit(main())

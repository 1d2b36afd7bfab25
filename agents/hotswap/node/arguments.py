"""The command line of `hotswap`: what can be written, and what each word means."""

import argparse
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # generic for the type checker alone
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - its only name

EPILOG = """\
exit codes:
  0    done as asked; of a run: every rank has finished
  1    the run failed
  2    the command line or a variable is wrong
  3    no such job, or no readable file
  4    no coordinator of the job answers, or no control plane
  5    the name is in use, or the coordinator or the control plane refused the request
  6    the swap was given up or did not end in time; the job goes on as before
  7    a certificate or ledger was read, and shows a fault
  130  ended by Ctrl-C; 143: by SIGTERM
"""


def build_parser() -> argparse.ArgumentParser:
    """Describe the command line; ``command`` of the result names the command."""
    parser = argparse.ArgumentParser(
        prog="hotswap",
        description="Keeps a distributed PyTorch job training while its ranks change hands.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"hotswap {_version()}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (
        _add_run,
        _add_agent,
        _add_swap,
        _add_abort,
        _add_prepare,
        _add_status,
        _add_jobs,
        _add_certificate,
        _add_ledger,
    ):
        add(subparsers)
    return parser


def _version() -> str:
    try:
        return version("hotswap")
    except PackageNotFoundError:
        return "unknown"  # run from its sources, without being installed


def _add_job(
    parser: argparse.ArgumentParser, *, required: bool = True, text: str = "name of the job"
) -> None:
    parser.add_argument("--job", metavar="NAME", required=required, help=text)


def _add_json(parser: argparse.ArgumentParser, what: str = "one JSON object") -> None:
    parser.add_argument("--json", action="store_true", help=f"for programs: {what} on stdout")


def _at_least(least: int) -> Callable[[str], int]:
    """Parse a whole number that is not below ``least``."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < least:
            raise argparse.ArgumentTypeError(f"{value} is too small: at least {least}")
        return value

    return parse


def _file(text: str) -> Path:
    """Take the name of a file that is there."""
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return path


def _add_run(subparsers: "Subparsers") -> None:
    parser = subparsers.add_parser(
        "run",
        help="start a training job with ranks and standbys",
        description="Starts SCRIPT once per rank and per standby, like torchrun, and keeps it "
        "training when one of them fails or is swapped. Options stand before SCRIPT; what comes "
        "after it is passed on to it.",
        allow_abbrev=False,
    )
    parser.add_argument("--ranks", type=_at_least(1), required=True, help="ranks of the job")
    parser.add_argument(
        "--standbys",
        type=_at_least(0),
        default=1,
        help="processes that mirror the ranks and take over (default: %(default)s)",
    )
    _add_job(parser, required=False, text="name of the job (default: the script's)")
    parser.add_argument(
        "--coordinators",
        type=_at_least(1),
        default=2,
        help="coordinators, of which one leads (default: %(default)s)",
    )
    parser.add_argument(
        "--checkpoint-every",
        type=_at_least(0),
        default=50,
        metavar="STEPS",
        help="steps between two micro-checkpoints; 0 writes none (default: %(default)s)",
    )
    parser.add_argument(
        "--respawn",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="start a new standby in place of each process that is gone (default: yes)",
    )
    parser.add_argument("--seed", type=_at_least(0), help="seed of the job, for scripts that ask")
    parser.add_argument(
        "--log-directory",
        type=Path,
        metavar="DIR",
        help="where the processes' output goes (default: logs/ in the job's directory)",
    )
    parser.add_argument(
        "--agent",
        type=Path,
        metavar="DIR",
        help="have the agent with this --state show the job to the control plane",
    )
    _add_json(parser, "one JSON object per event")
    parser.add_argument("script", type=_file, metavar="SCRIPT", help="training script")
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="arguments of the script"
    )
    parser.set_defaults(command="run")


def _add_agent(subparsers: "Subparsers") -> None:
    parser = subparsers.add_parser(
        "agent",
        help="have the control plane use this node",
        description="Reports this node to the control plane and starts, watches and stops the "
        "processes of jobs there. --plane, --token and --name are needed the first time alone.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--plane", metavar="URL", help="the plane's address for agents, https://..."
    )
    parser.add_argument(
        "--token",
        help="one-time token that the plane gave out for this node (or in HOTSWAP_ENROL_TOKEN)",
    )
    parser.add_argument("--name", metavar="NODE", help="name of the node")
    parser.add_argument(
        "--state",
        type=Path,
        metavar="DIR",
        default=Path.home() / ".hotswap" / "agent",
        help="the agent's own files, its key among them (default: %(default)s)",
    )
    parser.add_argument(
        "--authority", type=Path, metavar="FILE", help="certificate of the plane's authority"
    )
    parser.add_argument(
        "--authority-digest",
        metavar="SHA256",
        help="SHA-256 of that certificate instead, as it is shown with the token",
    )
    parser.add_argument(
        "--simulate",
        type=_file,
        metavar="FILE",
        help="scenario of simulated signals; SIGUSR1 begins the worsening, SIGUSR2 ends it",
    )
    parser.set_defaults(command="agent", json=False)


def _add_swap(subparsers: "Subparsers") -> None:
    parser = subparsers.add_parser(
        "swap",
        help="have a standby take a rank over, on plan",
        description="Asks the running job to move a rank to a standby at a step boundary.",
    )
    _add_job(parser)
    parser.add_argument("--rank", type=_at_least(0), required=True, help="rank to move")
    parser.add_argument("--to", metavar="STANDBY", help="standby that takes over (default: any)")
    parser.add_argument("--reason", default="", help="why; kept in the certificate")
    parser.add_argument(
        "--wait",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="wait until the swap is completed or given up (default: yes)",
    )
    _add_json(parser)
    parser.set_defaults(command="swap")


def _add_abort(subparsers: "Subparsers") -> None:
    parser = subparsers.add_parser(
        "abort",
        help="give a swap up before it is in force",
        description="Gives a planned swap up. The job stays as it is.",
    )
    _add_job(parser)
    parser.add_argument("--swap", required=True, metavar="ID", help="as `hotswap swap` named it")
    _add_json(parser)
    parser.set_defaults(command="abort")


def _add_prepare(subparsers: "Subparsers") -> None:
    parser = subparsers.add_parser(
        "prepare",
        help="have a standby build the model of a rank in advance",
        description="Names the rank that is likeliest to fail: a standby builds its model now, "
        "so that taking over costs less.",
    )
    _add_job(parser)
    parser.add_argument("--rank", type=_at_least(0), required=True, help="rank to prepare for")
    parser.add_argument("--on", metavar="STANDBY", help="standby that prepares (default: any)")
    _add_json(parser)
    parser.set_defaults(command="prepare")


def _add_status(subparsers: "Subparsers") -> None:
    parser = subparsers.add_parser(
        "status", help="show a running job", description="Shows the job as its leader sees it."
    )
    _add_job(parser)
    _add_json(parser)
    parser.set_defaults(command="status")


def _add_jobs(subparsers: "Subparsers") -> None:
    parser = subparsers.add_parser(
        "jobs",
        help="list the jobs of this user",
        description="Lists every job in HOTSWAP_HOME, running or ended.",
    )
    _add_json(parser)
    parser.set_defaults(command="jobs")


def _add_certificate(subparsers: "Subparsers") -> None:
    parser = subparsers.add_parser(
        "certificate",
        help="show swap certificates and check them again",
        description="Shows what each swap moved, and checks the certificate again.",
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("file", nargs="?", type=Path, metavar="FILE", help="one certificate")
    source.add_argument("--job", metavar="NAME", help="all certificates of a job")
    parser.add_argument("--swap", metavar="ID", help="with --job: that swap's alone")
    _add_json(parser)
    parser.set_defaults(command="certificate")


def _add_ledger(subparsers: "Subparsers") -> None:
    parser = subparsers.add_parser(
        "ledger",
        help="audit which samples a job consumed",
        description="Shows from the job's ledger that no sample was consumed twice or left out.",
    )
    _add_job(parser)
    _add_json(parser)
    parser.set_defaults(command="ledger")

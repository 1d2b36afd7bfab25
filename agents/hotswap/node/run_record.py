"""What is kept of a run: what was asked for, and how it ended."""

from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from hotswap.node.job_directory import JobDirectory
from hotswap.transfer.atomic import write_atomically

EndState = Literal["finished", "failed", "stopped"]
State = EndState | Literal["running", "unknown"]


class JobDescription(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for."""

    job: str
    ranks: int
    standbys: int
    coordinators: int
    script: str
    arguments: tuple[str, ...]
    # process id of the launcher
    pid: int
    # wall clock, s since 1970
    started_unix_s: float
    # where the output of the processes goes
    logs: str


class JobResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended."""

    state: EndState
    reason: str
    # steps that were applied; None is unknown
    committed: int | None
    exit_code: int
    ended_unix_s: float


class JobSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `hotswap jobs`; None is unknown."""

    job: str
    state: State
    ranks: int | None
    standbys: int | None
    script: str | None
    started_unix_s: float | None
    committed: int | None
    reason: str | None


def write_description(directory: JobDirectory, description: JobDescription) -> None:
    """Keep what was asked for."""
    write_atomically(directory.description_file, [_pretty(description)])


def write_result(directory: JobDirectory, result: JobResult) -> None:
    """Keep how it ended."""
    write_atomically(directory.result_file, [_pretty(result)])


def summarise(directory: JobDirectory) -> JobSummary:
    """Say how a job stands, from its files alone.

    A run without a result whose launcher is gone has an unknown end: it was killed.
    """
    description = _read(directory.description_file, JobDescription)
    result = _read(directory.result_file, JobResult)
    running = directory.is_running()
    state: State = "running" if running else "unknown" if result is None else result.state
    return JobSummary(
        job=directory.name,
        state=state,
        ranks=description.ranks if description else None,
        standbys=description.standbys if description else None,
        script=description.script if description else None,
        started_unix_s=description.started_unix_s if description else None,
        committed=result.committed if result else None,
        reason=result.reason if result else None,
    )


def describe(directory: JobDirectory) -> JobDescription | None:
    """Read what was asked for; None when that is not known."""
    return _read(directory.description_file, JobDescription)


_Record = TypeVar("_Record", JobDescription, JobResult)


def _read(path: Path, kind: type[_Record]) -> _Record | None:
    """Read a file of a job; None when it is missing or not what it should be."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def _pretty(record: msgspec.Struct) -> bytes:
    """Encode for people too."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"

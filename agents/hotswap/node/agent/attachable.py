"""Jobs that run on this node without the plane, and could be shown in it."""

from collections.abc import Container
from pathlib import Path

import msgspec
import structlog

from hotswap.errors import AgentStateUnusable
from hotswap.node.job_directory import JobDirectory, list_all
from hotswap.node.run_record import describe
from hotswap.transfer.atomic import write_atomically
from hotswap.wire.plane import AttachableJob

_log = structlog.get_logger()


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """A file in the agent's ``wanted``: this job asks to be attached."""

    directory: str


def want(state: Path, directory: JobDirectory) -> None:
    """Ask the agent with the state directory ``state`` to have a job attached.

    Raises:
        AgentStateUnusable: it is not an agent's state directory, or can't be written.

    """
    if not (state / "identity.json").is_file():
        raise AgentStateUnusable(
            f"{state} is no agent's state directory: give the --state of a `hotswap agent` that "
            "has been enrolled"
        )
    wish = Wish(directory=str(directory.path.absolute()))
    try:
        (state / "wanted").mkdir(mode=0o700, exist_ok=True)
        write_atomically(state / "wanted" / f"{directory.name}.json", [msgspec.json.encode(wish)])
    except OSError as error:
        raise AgentStateUnusable(f"cannot write {state}: {error.strerror}") from error


def discover(*, jobs: Path, wanted: Path, known: Container[Path]) -> tuple[AttachableJob, ...]:
    """Find running jobs of `hotswap run`.

    Args:
        jobs: where the jobs of this user live.
        wanted: wishes of jobs, wherever they live; those that have ended are removed.
        known: directories of jobs that the plane has already.

    """
    wishes = _wishes(wanted)
    directories = {each.path: each for each in (*list_all(jobs), *wishes)}
    found = []
    for path, directory in sorted(directories.items()):
        if path not in known and directory.is_running():
            attachable = _attachable(directory, wanted=directory in wishes)
            if attachable is not None:
                found.append(attachable)
    return tuple(found)


def _wishes(wanted: Path) -> tuple[JobDirectory, ...]:
    found = []
    for path in sorted(wanted.glob("*.json")):
        try:
            wish = msgspec.json.decode(path.read_bytes(), type=Wish)
        except (OSError, msgspec.DecodeError) as error:
            _log.warning("wish_unreadable", path=str(path), detail=str(error))
            continue
        directory = JobDirectory(path=Path(wish.directory))
        if directory.is_running():
            found.append(directory)
        else:
            path.unlink(missing_ok=True)
    return tuple(found)


def _attachable(directory: JobDirectory, *, wanted: bool) -> AttachableJob | None:
    """Return what its launcher has said of a job; None: it was not started by `hotswap run`."""
    description = describe(directory)
    if description is None:
        return None
    return AttachableJob(
        name=directory.name,
        directory=str(directory.path),
        world_size=description.ranks,
        standbys=description.standbys,
        script=description.script,
        started_unix_s=description.started_unix_s,
        wanted=wanted,
    )

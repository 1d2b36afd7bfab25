"""Directories of jobs that the plane starts: the same one for all nodes of a job."""

from collections.abc import Mapping
from pathlib import Path

from hotswap.errors import CommandRefused, JobError, JobUnknown
from hotswap.node.job_directory import JobDirectory, check_name, ensure, jobs_directory
from hotswap.wire.plane import JobPlace


def locate(place: JobPlace, *, environment: Mapping[str, str]) -> JobDirectory:
    """Say where a job lives.

    Raises:
        JobNameInvalid: the name is not one plain path component.
        CommandRefused: the directory's name is not that of the job.

    """
    check_name(place.name)
    if place.directory is None:
        return JobDirectory(path=jobs_directory(environment) / place.name)
    path = Path(place.directory)
    if not path.is_absolute() or path.name != place.name:
        raise CommandRefused(
            f"{place.directory} can't be the directory of job {place.name}: give an absolute path "
            "that ends in the job's name",
            refusal="malformed",
        )
    return JobDirectory(path=path)


def prepare(place: JobPlace, *, environment: Mapping[str, str]) -> JobDirectory:
    """Make the directory of a job, with its key; another node may have made it already.

    Raises:
        JobError: it can't be made, or a run that lives has the name.

    """
    directory = locate(place, environment=environment)
    ensure(directory, key=None if place.key is None else bytes.fromhex(place.key))
    return directory


def existing(place: JobPlace, *, environment: Mapping[str, str]) -> JobDirectory:
    """Find the directory of a job that runs already.

    Raises:
        JobUnknown: there is none.
        JobError: it has another key than the plane says.

    """
    directory = locate(place, environment=environment)
    key = directory.read_key()
    if place.key is not None and bytes.fromhex(place.key) != key:
        raise JobError(f"{directory.path} belongs to another run of {place.name}: name that one")
    if not directory.path.is_dir():
        raise JobUnknown(f"no job {place.name} under {directory.path.parent}")
    return directory

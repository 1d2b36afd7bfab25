"""Where a job lives on this machine: its directory, its name, its key.

::

    $HOTSWAP_HOME (or ~/.hotswap)/jobs/NAME/      mode 0700
        run.lock        held by the launcher for as long as it lives
        job.key         secret of the job, mode 0600
        job.json        what was asked for (JobDescription)
        result.json     how it ended (JobResult); absent while it runs
        logs/           NAME.stdout.log and NAME.stderr.log of every process
        checkpoints/    micro-checkpoints
        certificates/   one per swap
        ledger/         ids of the samples consumed

The coordinators keep their own files there too. A name whose run has ended can be used again: the
former run's directory is renamed ``NAME~1``, ``NAME~2`` and so on, and nothing in it is touched.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hotswap.environment import JOB_KEY_BYTES
from hotswap.errors import JobError, JobInUse, JobNameInvalid, JobUnknown

HOME = "HOTSWAP_HOME"
#: Longest name of a job, characters.
NAME_LENGTH_MAX = 64
#: Runs of one name that are kept; the next one is refused, as nothing is ever deleted here.
FORMER_RUNS_MAX = 1000

#: Part of a name that comes from the script: leaves room for a number.
_STEM_LENGTH_MAX = NAME_LENGTH_MAX - 8
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{NAME_LENGTH_MAX - 1}}}")
_FORMER_RUN = re.compile(rf"({_NAME.pattern})~[1-9][0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDirectory:
    """Paths of one job; says nothing about whether they exist."""

    path: Path

    @property
    def name(self) -> str:
        """Name of the job; of a former run, with its number: ``gpt~2``."""
        return self.path.name

    @property
    def lock_file(self) -> Path:
        """Held with flock(2) by the launcher, so that it is free as soon as that is gone."""
        return self.path / "run.lock"

    @property
    def key_file(self) -> Path:
        """Secret of the job in hexadecimal."""
        return self.path / "job.key"

    @property
    def description_file(self) -> Path:
        """What was asked for."""
        return self.path / "job.json"

    @property
    def result_file(self) -> Path:
        """How the run ended."""
        return self.path / "result.json"

    @property
    def logs(self) -> Path:
        """Default place for the output of the processes."""
        return self.path / "logs"

    @property
    def checkpoints(self) -> Path:
        """Micro-checkpoints."""
        return self.path / "checkpoints"

    @property
    def certificates(self) -> Path:
        """One swap certificate per swap."""
        return self.path / "certificates"

    @property
    def ledger(self) -> Path:
        """Ids of consumed samples, one file per rank and owner."""
        return self.path / "ledger"

    def is_running(self) -> bool:
        """Whether a launcher holds the lock at this moment."""
        try:
            descriptor = os.open(self.lock_file, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            # A shared lock is enough to find out, and two who ask do not disturb each other.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def read_key(self) -> bytes:
        """Read the job's secret.

        Raises:
            JobUnknown: there is none, so no job was run here.

        """
        try:
            return bytes.fromhex(self.key_file.read_text(encoding="ascii").strip())
        except (FileNotFoundError, ValueError) as error:
            raise JobUnknown(
                f"job {self.name} has no usable key in {self.path}: start it with `hotswap run`"
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A job directory that belongs to this process until the process ends or gives it back."""

    directory: JobDirectory
    # holds the lock
    lock_descriptor: int

    def release(self) -> None:
        """Let the name be used again."""
        os.close(self.lock_descriptor)


def jobs_directory(environment: Mapping[str, str]) -> Path:
    """Say where the jobs of this user live."""
    home = environment.get(HOME)
    return (Path(home) if home else Path.home() / ".hotswap").absolute() / "jobs"


def check_name(name: str) -> None:
    """Refuse a name that would not be one plain path component.

    Raises:
        JobNameInvalid: with the rule.

    """
    if _NAME.fullmatch(name) is None:
        raise JobNameInvalid(
            f"{name!r} cannot be the name of a job: use up to {NAME_LENGTH_MAX} letters, digits, "
            "dots, dashes and underscores, beginning with a letter or a digit"
        )


def find(*, jobs: Path, name: str) -> JobDirectory:
    """Find the directory of a job, running or ended.

    Raises:
        JobUnknown: with the names that exist.

    """
    directory = JobDirectory(path=jobs / name)
    known = _NAME.fullmatch(name) or _FORMER_RUN.fullmatch(name)
    if known and directory.path.is_dir():
        return directory
    names = ", ".join(each.name for each in list_all(jobs)) or "none"
    raise JobUnknown(f"no job {name!r} under {jobs} (there: {names}); `hotswap jobs` lists them")


def list_all(jobs: Path) -> tuple[JobDirectory, ...]:
    """List every job that has a directory, by name."""
    try:
        entries = sorted(entry for entry in jobs.iterdir() if entry.is_dir())
    except FileNotFoundError:
        return ()
    return tuple(JobDirectory(path=entry) for entry in entries)


def claim(*, jobs: Path, name: str | None, stem: str) -> Claim:
    """Make the directory of a new run and hold it.

    Args:
        jobs: as `jobs_directory` says.
        name: asked for; None takes the first of ``stem``, ``stem-2``, ... that is not running.
        stem: usually the name of the script.

    Raises:
        JobNameInvalid: see `check_name`.
        JobInUse: a launcher that lives holds the name.
        JobError: the directory cannot be made.

    """
    if name is not None:
        check_name(name)
    try:
        jobs.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _exclusive(jobs):
            return _make(jobs / (name or _free_name(jobs, stem)))
    except OSError as error:
        raise JobError(
            f"cannot make a job directory under {jobs}: {error.strerror}; free some space, or set "
            f"{HOME} to a directory that you may write"
        ) from error


def ensure(directory: JobDirectory, *, key: bytes | None) -> None:
    """Make the directory of a run that has no launcher, unless another node has made it already.

    Args:
        directory: what several nodes of the job may share.
        key: secret of the run; None: the one that is there, or a new one. A directory with another
            secret is of a former run, and moves aside.

    Raises:
        JobInUse: a run that lives has the name.
        JobError: the directory cannot be made.

    """
    path = directory.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _exclusive(path.parent):
            if directory.key_file.is_file() and key in {None, directory.read_key()}:
                return
            if path.exists():
                _refuse_living(directory)
                _move_aside(path)
            _make_folders(directory)
            _write_key(directory, secrets.token_bytes(JOB_KEY_BYTES) if key is None else key)
    except OSError as error:
        raise JobError(
            f"cannot make the job directory {path}: {error.strerror}; free some space, or give "
            "the agent a directory that it may write"
        ) from error


@contextmanager
def _exclusive(jobs: Path) -> Iterator[None]:
    """Keep other launchers out while a name is looked up and taken: only file operations."""
    descriptor = os.open(jobs / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _free_name(jobs: Path, stem: str) -> str:
    """Choose a readable name that no living run has."""
    name = base = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:_STEM_LENGTH_MAX] or "job"
    number = 1
    while JobDirectory(path=jobs / name).is_running():
        number += 1
        name = f"{base}-{number}"
    return name


def _make(path: Path) -> Claim:
    """Make the directory with its key and lock; an ended run of the name moves aside."""
    directory = JobDirectory(path=path)
    if path.exists():
        _refuse_living(directory)
        _move_aside(path)
    _make_folders(directory)
    lock = os.open(directory.lock_file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _write_key(directory, secrets.token_bytes(JOB_KEY_BYTES))
    return Claim(directory=directory, lock_descriptor=lock)


def _refuse_living(directory: JobDirectory) -> None:
    """Refuse a name whose run lives."""
    if directory.is_running():
        name = directory.name
        raise JobInUse(
            f"job {name} is running: choose another --job, or stop that run first "
            f"(`hotswap status --job {name}` shows it)"
        )


def _make_folders(directory: JobDirectory) -> None:
    """Make the directory and what every run has in it."""
    directory.path.mkdir(mode=0o700)
    for each in (directory.logs, directory.checkpoints, directory.certificates, directory.ledger):
        each.mkdir(mode=0o700)


def _write_key(directory: JobDirectory, secret: bytes) -> None:
    """Write the secret of a new run."""
    key = os.open(directory.key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(key, "w", encoding="ascii") as file:
        file.write(secret.hex())


def _move_aside(path: Path) -> None:
    """Rename the directory of a former run."""
    for number in range(1, FORMER_RUNS_MAX + 1):
        former = path.with_name(f"{path.name}~{number}")
        if not former.exists():
            path.rename(former)
            return
    raise JobError(f"{FORMER_RUNS_MAX} runs of {path.name} are kept: remove some of {path}~*")

"""What one coordinator is told when it is started: command line, and the job's key."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hotswap.environment import JOB_KEY, JOB_KEY_BYTES, REDIS_URL
from hotswap.errors import EnvironmentInvalid
from hotswap.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How one coordinator runs."""

    # directory of the job, whose name is the job's
    job_directory: Path
    # of this coordinator, unique in the job and never used again
    name: str
    # ranks of the job
    world_size: int
    # secret of the job; not in the repr, so never in a log
    key: bytes = field(repr=False)
    # address to listen on; it is also what members are told
    host: str = "127.0.0.1"
    # 0: the system chooses
    port: int = 0
    checkpoint_directory: Path
    # Redis or Valkey server by which coordinators of several machines agree; None: they share the
    # job's directory on one machine. It may hold a password, hence it is not in the repr
    redis_url: str | None = field(default=None, repr=False)
    limits: Limits = field(default_factory=Limits)

    @property
    def job(self) -> str:
        """Name of the job."""
        return self.job_directory.name

    @property
    def lease_directory(self) -> Path:
        """Where the coordinators of the job agree on who leads."""
        return self.job_directory / "lease"

    @property
    def certificate_directory(self) -> Path:
        """One certificate per swap."""
        return self.job_directory / "certificates"


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Read the command line and the environment; exits as argparse does when they are no good.

    Raises:
        EnvironmentInvalid: ``HOTSWAP_JOB_KEY`` is missing or malformed, or a limit is.
        LimitsOutOfOrder: two limits are in an order in which they can't work.

    """
    parser = argparse.ArgumentParser(
        prog="python -m hotswap.coordinator.server",
        description="One coordinator of a job. Of all that are started, one leads; the others "
        "stand by. `hotswap run` starts them.",
    )
    parser.add_argument("--job-directory", type=Path, required=True, help="its name is the job's")
    parser.add_argument("--name", required=True, help="of this coordinator, e.g. coordinator-0")
    parser.add_argument("--world-size", type=_positive, required=True, help="ranks of the job")
    parser.add_argument("--host", default="127.0.0.1", help="default: %(default)s")
    parser.add_argument("--port", type=int, default=0, help="default: the system chooses")
    parser.add_argument(
        "--checkpoint-directory", type=Path, help="default: checkpoints in the job's directory"
    )
    given = parser.parse_args(arguments)
    job_directory = given.job_directory.absolute()
    if not job_directory.is_dir():
        parser.error(f"there is no directory {job_directory}: `hotswap run` makes it")
    return Settings(
        job_directory=job_directory,
        name=given.name,
        world_size=given.world_size,
        key=_read_key(environment),
        host=given.host,
        port=given.port,
        checkpoint_directory=given.checkpoint_directory or job_directory / "checkpoints",
        redis_url=environment.get(REDIS_URL) or None,
        limits=Limits.from_environment(environment),
    )


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _read_key(environment: Mapping[str, str]) -> bytes:
    try:
        key = bytes.fromhex(environment.get(JOB_KEY, ""))
    except ValueError:
        key = b""
    if len(key) != JOB_KEY_BYTES:
        # the value may be a secret: the message names the variable alone
        raise EnvironmentInvalid(
            f"{JOB_KEY} must be {JOB_KEY_BYTES} bytes in hexadecimal, the same for every process "
            "of the job: `hotswap run` sets it"
        )
    return key

"""What `hotswap run` tells a trainer process, as environment variables.

The launcher writes them (:meth:`MemberEnvironment.to_environment`), the runtime reads them
(:meth:`MemberEnvironment.from_environment`). A process without ``HOTSWAP_JOB`` was not started by
the launcher: plain ``python`` or ``torchrun``, hence unprotected. Overrides of limits are variables
of their own (``HOTSWAP_LEASE_S`` and the like, see ``hotswap.limits``) and pass through unchanged.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from hotswap.errors import EnvironmentInvalid

JOB = "HOTSWAP_JOB"
JOB_DIRECTORY = "HOTSWAP_JOB_DIRECTORY"
JOB_KEY = "HOTSWAP_JOB_KEY"
MEMBER = "HOTSWAP_MEMBER"
RANK = "HOTSWAP_RANK"
WORLD_SIZE = "HOTSWAP_WORLD_SIZE"
HOST = "HOTSWAP_HOST"
SEED = "HOTSWAP_SEED"
CHECKPOINT_DIRECTORY = "HOTSWAP_CHECKPOINT_DIRECTORY"
CHECKPOINT_EVERY_STEPS = "HOTSWAP_CHECKPOINT_EVERY_STEPS"

#: Server by which the coordinators agree who leads, and say where they listen. Set by a person.
REDIS_URL = "HOTSWAP_REDIS_URL"

#: Every variable that the launcher sets; each trainer gets its own set, never an inherited one.
VARIABLES = (
    JOB,
    JOB_DIRECTORY,
    JOB_KEY,
    MEMBER,
    RANK,
    WORLD_SIZE,
    HOST,
    SEED,
    CHECKPOINT_DIRECTORY,
    CHECKPOINT_EVERY_STEPS,
)

#: Bytes of the key that authenticates the processes of one job to each other.
JOB_KEY_BYTES = 32

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberEnvironment:
    """Who a trainer process is, and where its job lives."""

    # name of the job
    job: str
    # directory of the job: where the coordinators say where they listen
    job_directory: Path
    # secret shared by the processes of the job; not in the repr, so never in a log
    job_key: bytes = field(repr=False)
    # name of this process, unique in the job: ``node-0``, ``standby-1``
    member: str
    # rank that this process is to own first; None for a standby
    wanted_rank: int | None = None
    # number of ranks
    world_size: int
    # address on which this process listens for the other members
    host: str = "127.0.0.1"
    # seed that the launcher was given; None leaves it to the script
    seed: int | None = None
    # where micro-checkpoints go
    checkpoint_directory: Path
    # steps between two micro-checkpoints; None writes none
    checkpoint_every_steps: int | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "MemberEnvironment | None":
        """Read what the launcher has set; None in a process that it did not start.

        Raises:
            EnvironmentInvalid: a variable is missing or malformed; the message names it.

        """
        if JOB not in environment:
            return None
        member = cls(
            job=_read(environment, JOB, str),
            job_directory=_read(environment, JOB_DIRECTORY, Path),
            job_key=_read(environment, JOB_KEY, bytes.fromhex),
            member=_read(environment, MEMBER, str),
            wanted_rank=_read_optional(environment, RANK, int),
            world_size=_read(environment, WORLD_SIZE, int),
            host=environment.get(HOST, "127.0.0.1"),
            seed=_read_optional(environment, SEED, int),
            checkpoint_directory=_read(environment, CHECKPOINT_DIRECTORY, Path),
            checkpoint_every_steps=_read_optional(environment, CHECKPOINT_EVERY_STEPS, int),
        )
        member.check()
        return member

    def check(self) -> None:
        """Refuse values that no launcher would set.

        Raises:
            EnvironmentInvalid: the message names the variable.

        """
        if len(self.job_key) != JOB_KEY_BYTES:
            raise EnvironmentInvalid(
                f"{JOB_KEY} must be {JOB_KEY_BYTES} bytes in hexadecimal: {_WHO_SETS_THEM}"
            )
        if self.world_size < 1:
            raise EnvironmentInvalid(f"{WORLD_SIZE} must be at least 1: {_WHO_SETS_THEM}")
        if self.wanted_rank is not None and not 0 <= self.wanted_rank < self.world_size:
            raise EnvironmentInvalid(
                f"{RANK}={self.wanted_rank} is outside 0..{self.world_size - 1}: {_WHO_SETS_THEM}"
            )
        if self.checkpoint_every_steps is not None and self.checkpoint_every_steps < 1:
            raise EnvironmentInvalid(
                f"{CHECKPOINT_EVERY_STEPS} must be at least 1, or absent for no checkpoints"
            )

    def to_environment(self) -> dict[str, str]:
        """Give the variables that :meth:`from_environment` reads back as this value."""
        optional = {
            RANK: self.wanted_rank,
            SEED: self.seed,
            CHECKPOINT_EVERY_STEPS: self.checkpoint_every_steps,
        }
        return {
            JOB: self.job,
            JOB_DIRECTORY: str(self.job_directory),
            JOB_KEY: self.job_key.hex(),
            MEMBER: self.member,
            WORLD_SIZE: str(self.world_size),
            HOST: self.host,
            CHECKPOINT_DIRECTORY: str(self.checkpoint_directory),
        } | {name: str(value) for name, value in optional.items() if value is not None}


_WHO_SETS_THEM = "these variables are set by `hotswap run`; start the script with it, or unset them"


def _read(environment: Mapping[str, str], name: str, parse: Callable[[str], _Value]) -> _Value:
    """Parse a variable that has to be there."""
    text = environment.get(name, "")
    if not text:
        raise EnvironmentInvalid(f"{name} is not set: {_WHO_SETS_THEM}")
    try:
        return parse(text)
    except ValueError as error:
        # the value may be a secret: the message names the variable alone
        raise EnvironmentInvalid(f"{name} is malformed: {_WHO_SETS_THEM}") from error


def _read_optional(
    environment: Mapping[str, str], name: str, parse: Callable[[str], _Value]
) -> _Value | None:
    """Parse a variable that may be absent."""
    return _read(environment, name, parse) if environment.get(name) else None

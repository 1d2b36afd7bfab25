"""The directory in which an agent keeps what it must not forget.

::

    STATE/                 mode 0700
        agent.lock         held by the agent for as long as it lives
        identity.json      who this agent is, and where the plane is
        credential.pem     private key, which never leaves the node, and its certificate, mode 0600
        authority.pem      certificate of the authority that signed it, and the plane's own
        commands/          what the plane wanted, and what became of it
        fences/            highest fence seen, by job
        jobs/              jobs that are hosted or attached here
        members/           processes that were started here
        wanted/            jobs whose `hotswap run` asks to be attached
        quarantine.json    why nothing new is started here; absent: it is
        degrade            while it is there, the scenario of `--simulate` runs
"""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from hotswap.errors import AgentStateUnusable


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDirectory:
    """Paths of one agent; says nothing about whether they exist."""

    path: Path

    @property
    def identity_file(self) -> Path:
        """Who this agent is."""
        return self.path / "identity.json"

    @property
    def credential_file(self) -> Path:
        """Private key and certificate: one file, so that there is never the one without its own."""
        return self.path / "credential.pem"

    @property
    def authority_file(self) -> Path:
        """Certificate of the authority."""
        return self.path / "authority.pem"

    @property
    def wanted(self) -> Path:
        """Jobs that ask to be attached."""
        return self.path / "wanted"

    @property
    def quarantine_file(self) -> Path:
        """Why nothing new is started."""
        return self.path / "quarantine.json"

    @property
    def degrade_file(self) -> Path:
        """Runs the scenario as long as it is there."""
        return self.path / "degrade"

    def make(self) -> None:
        """Make the directory, for this user alone.

        Raises:
            AgentStateUnusable: it can't be made.

        """
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise AgentStateUnusable(
                f"cannot make {self.path} ({error.strerror}): choose another --state"
            ) from error

    def claim(self) -> int:
        """Hold the directory until the process ends, or the descriptor returned is closed.

        Raises:
            AgentStateUnusable: another agent holds it, or it can't be written.

        """
        try:
            descriptor = os.open(
                self.path / "agent.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )
        except OSError as error:
            raise AgentStateUnusable(
                f"cannot write {self.path} ({error.strerror}): choose another --state"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise AgentStateUnusable(
                f"another agent runs with {self.path}: stop it, or choose another --state"
            ) from error
        return descriptor

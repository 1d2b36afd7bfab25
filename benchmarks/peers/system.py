"""What the comparison asks of a system, and what a system answers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """SIGKILL of the process that holds a rank, at a moment drawn from a seed."""

    # rank to be killed
    rank: int
    # the kill comes after this rank has committed this step
    step: int
    # and this much later, seconds: anywhere within a step
    delay_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One run of one system."""

    # empty directory for everything that the run writes
    directory: Path
    # steps to commit
    steps: int
    # what happens to it; None leaves it alone
    kill: Kill | None
    # the run is ended after this long, seconds
    limit_s: float

    @property
    def probes(self) -> Path:
        """Return the directory of the probe files."""
        return self.directory / "probes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run went, as seen from outside; what it did is in the probe files."""

    # when the rank was killed; None: it was not
    kill_ns: int | None
    # all ranks have done all steps
    finished: bool
    # why not, in the system's own words; empty when it has
    reason: str = ""


class System(Protocol):
    """One system with one configuration.

    1. ``prepare`` is called once, before anything is timed.
    2. ``run`` is called for each case, one at a time. It starts the training processes, each of
       which writes with :class:`benchmarks.peers.probe.Probe`, has the planned rank killed, and
       returns when the steps are done or the limit is reached. No process outlives it.
    """

    @property
    def name(self) -> str:
        """Return the name that the table shows."""
        ...

    @property
    def configuration(self) -> str:
        """Return in one line how the system is set up."""
        ...

    def prepare(self) -> None:
        """Install what is needed.

        Raises:
            SystemUnavailable: it cannot run on this machine; the message says why.

        """
        ...

    def run(self, case: Case) -> Outcome:
        """Run one case."""
        ...


class SystemUnavailable(Exception):
    """A system cannot run on this machine."""

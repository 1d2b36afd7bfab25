"""Hotswap itself, through its command line: `hotswap run` with one standby."""

import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import model as shared
from benchmarks.peers.drive import drive
from benchmarks.peers.processes import REPOSITORY, Job
from benchmarks.peers.system import Case, Outcome, SystemUnavailable

_SCRIPT = Path(__file__).with_name("train_hotswap.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotswap:
    """Hotswap with its limits as they are."""

    name: str
    configuration: str
    standbys: int

    def prepare(self) -> None:
        """Look for the command.

        Raises:
            SystemUnavailable: it is not installed in this Python's environment.

        """
        if not _command().is_file():
            raise SystemUnavailable(f"{_command()} is not there: `pip install -e ./agents`")

    def run(self, case: Case) -> Outcome:
        """Start a job under the launcher."""
        with Job(case) as job:
            job.launch(
                "hotswap",
                [
                    str(_command()),
                    "run",
                    f"--ranks={shared.RANKS}",
                    f"--standbys={self.standbys}",
                    "--job=benchmark",
                    f"--log-directory={case.directory / 'trainers'}",
                    "--json",
                    str(_SCRIPT),
                ],
                environment={
                    "HOTSWAP_HOME": str(case.directory / "home"),
                    "PYTHONPATH": f"{REPOSITORY / 'agents'}:{REPOSITORY}",
                },
            )
            return drive(job)


def _command() -> Path:
    """Return the command of the environment that runs this."""
    return Path(sys.executable).with_name("hotswap")


ONE_STANDBY = Hotswap(
    name="hotswap, 1 standby",
    configuration="`hotswap run --standbys 1`, limits as they are",
    standbys=1,
)

"""`hotswap agent` as a process of its own, and the jobs that it starts."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from hotswap.node.agent.processes import TAG
from hotswap.wire.plane import JobPlace, StartCoordinator, StartMember
from tests.hotswap.node.agent.https_plane import ONE_TIME, HttpsPlane
from tests.hotswap.node.whole_file import write_whole

FAKE_TRAINER = Path(__file__).parents[1] / "fake_trainer.py"
KEY = "5e" * 32
PLACE = JobPlace(name="gpt", key=KEY)
WAIT_S = 30.0


class AgentUnderTest:
    """One agent; ``end`` kills it and all that it has started."""

    def __init__(self, folder: Path, plane: HttpsPlane, *options: str, node: str = "n1") -> None:
        self.home = folder / "home"
        self.state = folder / f"state-{node}"
        self.log = folder / f"agent-{node}.log"
        self._plane = plane
        self._options = (
            *("--plane", plane.url, "--name", node, "--authority", str(plane.authority_file)),
            *options,
        )
        # further variables of the agent, which its processes inherit
        self.settings: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def job(self) -> Path:
        return self.home / "jobs" / "gpt"

    def start(self) -> None:
        command = [sys.executable, "-m", "hotswap.cli", "agent", "--state", str(self.state)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, *self._options],
                env={
                    **os.environ,
                    "HOTSWAP_HOME": str(self.home),
                    "HOTSWAP_ENROL_TOKEN": ONE_TIME,
                    "PYTHONPATH": os.pathsep.join(sys.path),
                    # the processes of this test are found by it, whoever is their parent
                    "HOTSWAP_TEST_HOME": str(self.home),
                    **self.settings,
                },
                stdout=log,
                stderr=log,
            )

    def kill(self) -> None:
        """End the agent without a word."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(WAIT_S)

    def terminate(self) -> int:
        """End the agent in order."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(WAIT_S)

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)

    def processes(self) -> list[int]:
        """Give the processes that the agent has started, living ones alone."""
        mark = f"HOTSWAP_TEST_HOME={self.home}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    variables = (entry / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                if mark in variables and any(each.startswith(TAG.encode()) for each in variables):
                    found.append(int(entry.name))
        return found

    def control(self, *, steps: int, finish: bool = False) -> None:
        """Have the fake trainers go so far."""
        text = f'{{"steps": {steps}, "finish": {str(finish).lower()}}}'
        write_whole(self.job / "control.json", text)

    def start_job(self, *, ranks: int, standbys: int) -> list[str]:
        """Want a coordinator and trainers; return the ids of the commands."""
        plane = self._plane.plane
        wanted = [
            plane.command(
                "start_coordinator",
                StartCoordinator(place=PLACE, member="coordinator-0", world_size=ranks),
            )
        ]
        for number in range(ranks + standbys):
            rank = number if number < ranks else None
            wanted.append(
                plane.command(
                    "start_member",
                    StartMember(
                        place=PLACE,
                        member=f"node-{number}" if rank is not None else f"standby-{number}",
                        rank=rank,
                        world_size=ranks,
                        script=str(FAKE_TRAINER),
                        slot=number,
                    ),
                )
            )
        return wanted

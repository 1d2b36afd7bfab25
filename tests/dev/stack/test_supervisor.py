import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.stack import state_file
from dev.stack.parts import Service, Step
from dev.stack.ports import free_port, listens
from dev.stack.supervisor import PartFailed, Supervisor

SLEEP = (sys.executable, "-c", "import time; time.sleep(60)")


class Quiet:
    """A screen that remembers what stayed on it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.details: list[str] = []
        self.verdicts: list[bool] = []

    def begin(self, what: str) -> None:
        self.lines.append(what)

    def detail(self, text: str) -> None:
        self.details.append(text)

    def end(self, *, well: bool) -> None:
        self.verdicts.append(well)

    def say(self, text: str) -> None:
        self.lines.append(text)


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    with Supervisor(directory=tmp_path, environment={}, screen=Quiet()) as found:
        yield found


def pid_of(tmp_path: Path, name: str) -> int | None:
    state = state_file.read(tmp_path)
    return None if state is None else state.processes.get(name)


def test_parts_start_in_order_each_waiting_for_the_one_before(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    port = free_port()
    serve = (sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1")
    look = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
    supervisor.start(
        [
            Service(name="server", command=serve, ready=listens(port)),
            Step(name="look", command=(sys.executable, "-c", look)),
        ]
    )
    assert isinstance(supervisor.screen, Quiet)
    assert supervisor.screen.lines == ["server", "look"]
    assert supervisor.screen.verdicts == [True, True]
    assert pid_of(tmp_path, "server") is not None


def test_a_step_that_fails_says_what_it_printed(supervisor: Supervisor) -> None:
    command = (sys.executable, "-c", "print('no such table'); raise SystemExit(3)")
    with pytest.raises(PartFailed, match="no such table"):
        supervisor.start([Step(name="migrate", command=command)])


def test_a_service_that_ends_again_and_again_is_given_up(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dev.stack.supervisor.RESTART_S", (0.01, 0.01))
    command = (sys.executable, "-c", "raise SystemExit('port is taken')")
    with pytest.raises(PartFailed, match="port is taken"):
        supervisor.start([Service(name="web", command=command, ready=lambda: False)])


def test_a_killed_service_is_started_again(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start([Service(name="relay", command=SLEEP)])
    first = state_file.kill(tmp_path, "relay")
    deadline_s = time.monotonic() + 10

    def back() -> bool:
        assert time.monotonic() < deadline_s, "it did not come back"
        return pid_of(tmp_path, "relay") not in {None, first}

    supervisor.tend(until=back)
    state = state_file.read(tmp_path)
    assert state is not None
    assert state.restarts == {"relay": 1}


def test_a_service_that_is_held_stays_down_until_it_is_let_go(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    supervisor.start([Service(name="relay", command=SLEEP), Service(name="web", command=SLEEP)])
    supervisor.held.add("relay")
    for name in ("relay", "web"):
        state_file.kill(tmp_path, name)
    deadline_s = time.monotonic() + 30

    def back(name: str) -> bool:
        assert time.monotonic() < deadline_s, f"{name} did not come back"
        return supervisor.running[name].restarts == 1

    # both were due at once, and only one of them has come back
    supervisor.tend(until=lambda: back("web"))
    supervisor.look()
    assert supervisor.running["relay"].restarts == 0
    supervisor.held.clear()
    supervisor.tend(until=lambda: back("relay"))


def test_what_does_not_run_can_not_be_killed(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start([Service(name="relay", command=SLEEP)])
    with pytest.raises(LookupError, match="running: relay"):
        state_file.kill(tmp_path, "web")


def test_stopping_ends_all_of_them_and_takes_the_file_away(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, lambda *_: None); time.sleep(60)"
    supervisor.start(
        [
            Service(name="polite", command=SLEEP),
            Service(name="stubborn", command=(sys.executable, "-c", stubborn), stop_s=0.5),
        ]
    )
    state = state_file.read(tmp_path)
    assert state is not None
    supervisor.stop()
    assert state_file.read(tmp_path) is None
    for pid in state.processes.values():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, signal.SIG_DFL)

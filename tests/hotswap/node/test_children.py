"""Child processes end with their parent, are reaped with their descendants, and keep their logs."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hotswap.errors import JobError
from hotswap.node.children import Child, spawn, tail

WAIT_S = 20.0


def start(code: str, logs: Path, **environment: str) -> Child:
    return spawn(
        name="node-0",
        command=[sys.executable, "-c", code],
        environment=os.environ | environment,
        logs=logs,
    )


def ended(descriptor: int) -> bool:
    """Wait until the process behind a pidfd has ended."""
    return bool(select.select([descriptor], [], [], WAIT_S)[0])


def line(path: Path, child: Child) -> str:
    """Wait for the first line of a log, for as long as the child lives."""
    while not (text := path.read_text()).endswith("\n"):
        assert not select.select([child.pidfd], [], [], 0.01)[0], "ended without a line"
    return text.strip()


def test_output_goes_to_two_files_of_the_process(tmp_path: Path) -> None:
    child = start("import sys; print('out'); print('err', file=sys.stderr)", tmp_path)
    assert child.reap() == 0
    assert (tmp_path / "node-0.stdout.log").read_text() == "out\n"
    assert (tmp_path / "node-0.stderr.log").read_text() == "err\n"


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("raise SystemExit(3)", 3),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ],
)
def test_the_exit_status_is_told_by_the_pidfd_at_once(
    tmp_path: Path, code: str, status: int
) -> None:
    child = start(code, tmp_path)
    assert ended(child.pidfd)
    assert child.reap() == status


def test_a_signal_to_a_process_that_has_just_ended_takes_nothing_from_its_reaping(
    tmp_path: Path,
) -> None:
    child = start("raise SystemExit(3)", tmp_path)
    assert ended(child.pidfd)
    child.signal(signal.SIGTERM)
    child.kill()
    assert child.reap() == 3


def test_what_a_process_started_dies_with_it(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "worker = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(worker.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    child = start(code, tmp_path)
    worker = os.pidfd_open(int(line(child.stdout_log, child)))
    child.signal(signal.SIGKILL)
    assert child.reap() == -signal.SIGKILL
    assert ended(worker)
    os.close(worker)


def test_a_child_dies_with_its_parent_even_when_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from hotswap.node.children import spawn\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "child = spawn(name='inner', command=sleep,"
        " environment=os.environ, logs=Path(sys.argv[1]))\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
    assert ended(child)
    os.close(child)


def test_ctrl_c_in_the_terminal_does_not_reach_a_child(tmp_path: Path) -> None:
    child = start("import time; print('up', flush=True); time.sleep(600)", tmp_path)
    line(child.stdout_log, child)
    assert os.getpgid(child.pid) == child.pid
    assert os.getsid(child.pid) == child.pid
    child.kill()
    assert child.reap() == -signal.SIGKILL


def test_a_program_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"cannot start node-0: .*no-such-program"):
        spawn(name="node-0", command=["/no-such-program"], environment=os.environ, logs=tmp_path)


def test_the_tail_of_a_log_is_bounded_and_survives_any_bytes(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"".join(b"%d\n" % number for number in range(50_000)) + b"\xff end\n")
    assert tail(log, lines_max=3) == ("49998", "49999", "\N{REPLACEMENT CHARACTER} end")
    assert tail(tmp_path / "missing", lines_max=3) == ()

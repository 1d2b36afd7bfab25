"""The command as a process: what a person sees, and what a pipe that is closed early does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hotswap.node.exit_codes import ExitCode

WAIT_S = 40.0


def command(*line: str) -> list[str]:
    return [sys.executable, "-m", "hotswap.cli", *line]


@pytest.mark.slow_processes
def test_a_person_reads_what_went_wrong_and_where_to_look(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("raise ValueError('x=3')\n")
    done = subprocess.run(
        command("run", "--ranks", "1", "--standbys", "0", "--coordinators", "1", str(script)),
        env={**os.environ, "HOTSWAP_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
    )
    assert (done.returncode, done.stderr) == (ExitCode.FAILED, "")
    first, *_, last = done.stdout.splitlines()
    logs = tmp_path / "jobs" / "train" / "logs"
    assert first == f"job train: 1 rank, 0 standbys, 1 coordinator; logs in {logs}"
    assert f"end of {logs / 'node-0.stderr.log'}:\n  | Traceback" in done.stdout
    assert "\n  | ValueError: x=3\n" in done.stdout
    assert last == (
        "job train has failed: node-0 failed with exit status 1 before it called hotswap.join()"
    )
    assert "\x1b" not in done.stdout, "no control sequences in a file"


def test_a_reader_that_has_heard_enough_is_no_error(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / "jobs" / f"job-{number}").mkdir(parents=True)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as output:
        done = subprocess.run(
            command("jobs"),
            env={**os.environ, "HOTSWAP_HOME": str(tmp_path)},
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=WAIT_S,
        )
    assert (done.returncode, done.stderr) == (ExitCode.DONE, "")

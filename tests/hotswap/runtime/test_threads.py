"""A trainer does not end before its threads: the interpreter would abort under one in torch."""

import subprocess
import sys
import threading

import pytest
from structlog.testing import capture_logs

from hotswap.runtime import threads

SCRIPT = """
import threading
import torch
from hotswap.runtime import threads

begun = threading.Event()

def multiply():
    matrix = torch.eye(500)
    begun.set()
    for _ in range(50):
        torch.mm(matrix, matrix)

threading.Thread(target=multiply, name="hotswap-multiply", daemon=True).start()
begun.wait(60)
threads.wait_ended(timeout_s=60)
"""


@pytest.mark.slow_processes
@pytest.mark.timeout(400)
def test_a_process_ends_well_though_a_thread_is_in_an_operation_of_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_thread_that_does_not_end_is_named_and_left() -> None:
    ended = threading.Event()
    stuck = threading.Thread(target=ended.wait, args=(60,), name="hotswap-stuck", daemon=True)
    stuck.start()
    with capture_logs() as said:
        threads.wait_ended(timeout_s=0.01)
    ended.set()
    stuck.join(60)
    (warning,) = said
    assert warning["event"] == "threads_left"
    assert "hotswap-stuck" in warning["names"]


def test_threads_of_the_script_are_not_waited_for() -> None:
    ended = threading.Event()
    other = threading.Thread(target=ended.wait, args=(60,), name="the-script-s", daemon=True)
    other.start()
    threads.wait_ended(timeout_s=60)
    assert other.is_alive()
    ended.set()
    other.join(60)

"""Children are told of when they end, and none is left behind."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from hotswap.node.nursery import Nursery
from tests.hotswap.descriptors import open_descriptors

SLEEP = "import time; print('up', flush=True); time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
WAIT_S = 20.0


class Exits(dict[str, int]):
    """Exit statuses by name, with the time at which they became known."""

    def __init__(self) -> None:
        super().__init__()
        self.known_s: dict[str, float] = {}

    def __call__(self, name: str, status: int) -> None:
        assert name not in self, "told twice"
        self[name] = status
        self.known_s[name] = time.monotonic()


def start(nursery: Nursery, name: str, code: str) -> int:
    child = nursery.start(name=name, command=[sys.executable, "-c", code], environment=os.environ)
    return child.pid


async def until_up(logs: Path, *names: str) -> None:
    """Wait until the programs run, as a signal before that meets Python's own defaults."""
    deadline_s = time.monotonic() + WAIT_S
    for name in names:
        while "up" not in (logs / f"{name}.stdout.log").read_text():
            assert time.monotonic() < deadline_s, f"{name} does not start"
            await asyncio.sleep(0.005)


async def test_the_end_of_a_child_is_known_within_milliseconds(tmp_path: Path) -> None:
    exits = Exits()
    nursery = Nursery(logs=tmp_path, on_exit=exits)
    pid = start(nursery, "node-0", SLEEP)
    await until_up(tmp_path, "node-0")
    killed_s = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    assert await nursery.wait(["node-0"], within_s=WAIT_S)
    assert exits == {"node-0": -signal.SIGKILL}
    latency_s = exits.known_s["node-0"] - killed_s
    assert latency_s < 1.0, "generous: a busy machine must not fail this"
    assert nursery.living == ()


async def test_a_child_that_ignores_the_request_is_killed_after_the_grace(tmp_path: Path) -> None:
    exits = Exits()
    nursery = Nursery(logs=tmp_path, on_exit=exits)
    start(nursery, "polite", SLEEP)
    start(nursery, "stubborn", STUBBORN)
    await until_up(tmp_path, "polite", "stubborn")
    await nursery.stop(["polite", "stubborn", "never-started"], grace_s=0.3)
    assert await nursery.wait(["stubborn"], within_s=WAIT_S)
    assert exits == {"polite": -signal.SIGTERM, "stubborn": -signal.SIGKILL}


def freeze(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)  # sent is not yet stopped


async def test_a_frozen_child_is_ended_too(tmp_path: Path) -> None:
    exits = Exits()
    nursery = Nursery(logs=tmp_path, on_exit=exits)
    pid = start(nursery, "node-0", SLEEP)
    freeze(pid)
    await nursery.stop(["node-0"], grace_s=0.1)
    assert await nursery.wait(["node-0"], within_s=WAIT_S)
    assert exits == {"node-0": -signal.SIGKILL}


async def test_closing_leaves_nobody(tmp_path: Path) -> None:
    exits = Exits()
    nursery = Nursery(logs=tmp_path, on_exit=exits)
    pids = [start(nursery, f"node-{each}", STUBBORN) for each in range(3)]
    nursery.close()
    assert sorted(exits) == ["node-0", "node-1", "node-2"]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_descriptors_are_given_back(tmp_path: Path) -> None:
    nursery = Nursery(logs=tmp_path, on_exit=Exits())
    counts = set()
    for number in range(5):
        start(nursery, f"node-{number}", "pass")
        assert await nursery.wait(nursery.living, within_s=WAIT_S)
        counts.add(open_descriptors())
    assert len(counts) == 1

"""Several real processes contend for one lease while the leader is killed and frozen."""

import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from tests.hotswap.coordinator.lease_worker import open_store
from tests.hotswap.coordinator.valkey_server import Valkey

TTL_S = 0.2
WORKERS = 3
ROUNDS = 8
#: Only keeps a failing test from hanging.
WAIT_S = 20.0
WORKER = Path(__file__).parent / "lease_worker.py"


class Worker:
    """One contender, and what it has said."""

    def __init__(self, where: str, name: str) -> None:
        self.name = name
        self.saved: list[tuple[int, int]] = []
        self.tokens: list[int] = []
        self.fenced: list[int] = []
        self._partial = b""
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), where, name, str(TTL_S)],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        os.set_blocking(self.fileno(), False)

    def fileno(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def listen(self) -> None:
        """Note what it has said since."""
        try:
            self._partial += os.read(self.fileno(), 1 << 16)
        except BlockingIOError:
            return
        *lines, self._partial = self._partial.split(b"\n")
        for line in lines:
            event, *numbers = line.decode().split()
            match event, [int(each) for each in numbers]:
                case "leads", [token]:
                    self.tokens.append(token)
                case "fenced", [token]:
                    self.fenced.append(token)
                case "saved", [token, number]:
                    self.saved.append((token, number))

    def end(self) -> None:
        """Kill it, frozen or not, and hear the rest."""
        self.process.kill()
        self.process.wait(WAIT_S)
        self.listen()
        assert self.process.stdout is not None
        self.process.stdout.close()


class World:
    """All contenders, the living and the dead."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.workers: list[Worker] = []

    def start(self) -> None:
        self.workers.append(Worker(self.where, f"coordinator-{len(self.workers)}"))

    def until(self, condition: str, token: int) -> Worker:
        """Wait until a contender has led (``tokens``) or been fenced from ``token`` on."""
        deadline_s = time.monotonic() + WAIT_S
        while time.monotonic() < deadline_s:
            for worker in self.workers:
                if any(each >= token for each in getattr(worker, condition)):
                    return worker
            living = [each for each in self.workers if each.process.poll() is None]
            ready, _, _ = select.select(living, [], [], WAIT_S)
            for worker in ready:
                worker.listen()
        raise AssertionError(f"nobody has {condition} from {token} on within {WAIT_S} s")


@pytest.fixture(params=["file", "redis"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        server = request.param == "redis"
        world = World(stack.enter_context(Valkey(tmp_path)).url if server else str(tmp_path))
        try:
            yield world
        finally:
            for worker in world.workers:
                if worker.process.returncode is None:
                    worker.end()


def test_no_save_is_lost_and_no_token_used_twice_whoever_is_killed_or_frozen(world: World) -> None:
    for _ in range(WORKERS):
        world.start()
    token = 0
    for _ in range(ROUNDS):
        leader = world.until("tokens", token + 1)
        token = leader.tokens[-1]
        # let it get somewhere, so that it is caught anywhere in its calls
        saves = random.randrange(1, 20)
        while sum(1 for each, _ in leader.saved if each == token) < saves:
            select.select([leader], [], [], WAIT_S)
            leader.listen()
        if random.random() < 0.5:
            leader.end()
            world.start()
        else:
            leader.process.send_signal(signal.SIGSTOP)
            successor = world.until("tokens", token + 1)
            assert successor is not leader
            leader.process.send_signal(signal.SIGCONT)
            assert world.until("fenced", token) is leader
    for worker in world.workers:
        if worker.process.returncode is None:
            worker.end()
    check(world)


def check(world: World) -> None:
    tokens = [token for worker in world.workers for token in worker.tokens]
    assert len(tokens) == len(set(tokens))
    saved = open_store(world.where).load()
    record = msgspec.json.decode(saved or b"[]", type=list[tuple[int, int]])
    assert record == sorted(record), "a save of an old leader came after one of a newer"
    acknowledged = {save for worker in world.workers for save in worker.saved}
    assert acknowledged <= set(record)
    # at most the last save of each leader was done without its having been able to say so
    assert len(set(record) - acknowledged) <= len(tokens)

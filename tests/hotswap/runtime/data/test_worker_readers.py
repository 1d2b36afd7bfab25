"""Tests of hotswap.runtime.data.worker_readers: workers that die, hang, or are left alone."""

import multiprocessing
import os
import select
import signal
import socket
import threading
from multiprocessing.connection import Connection
from typing import Unpack

import pytest

from hotswap.errors import DataWorkerLost
from hotswap.limits import Limits
from hotswap.runtime.data.loader import Loader
from hotswap.runtime.data.reader import MapDataset
from tests.hotswap.runtime.data.datasets import Numbers, Options, Trapped, dies, hangs

LIMITS = Limits(data_batch_s=10.0, data_worker_stop_s=5.0)
WAIT_S = 10.0


def bound(dataset: MapDataset, **options: Unpack[Options]) -> Loader:
    """Make a loader that reads 0, 1, 2, ... in two workers."""
    options = {"shuffle": False, "num_workers": 2, "limits": LIMITS, **options}
    loader = Loader(dataset, batch_size=1, **options)
    loader.bind(seed=0, rank=0, world_size=1)
    return loader


def read(loader: Loader, steps: range) -> list[int]:
    return [loader.batch(step, 0).item() for step in steps]


def assert_nothing_left() -> None:
    assert multiprocessing.active_children() == []
    assert [thread for thread in threading.enumerate() if thread.name == "hotswap-data"] == []


def test_a_worker_that_dies_while_reading_is_named_with_its_status() -> None:
    loader = bound(Trapped(9, at=3, does=dies))
    with pytest.raises(DataWorkerLost, match="has ended with status -9"):
        read(loader, range(4))
    assert_nothing_left()


@pytest.mark.parametrize("victim", [0, 1])
def test_a_worker_that_is_killed_between_two_batches_is_noticed(victim: int) -> None:
    loader = bound(Numbers(100))
    loader.batch(0, 0)
    worker = next(
        process
        for process in multiprocessing.active_children()
        if process.name == f"hotswap-data-{victim}"
    )
    worker.kill()
    worker.join(WAIT_S)
    with pytest.raises(DataWorkerLost, match=f"worker process {worker.pid} has ended"):
        read(loader, range(1, 100))
    assert_nothing_left()


@pytest.mark.parametrize("after", range(10))
def test_a_worker_may_be_killed_at_any_moment(after: int) -> None:
    loader = bound(Numbers(1_000), prefetch_steps=8)
    loader.seek(0)
    read(loader, range(after))
    multiprocessing.active_children()[0].kill()
    with pytest.raises(DataWorkerLost):
        read(loader, range(after, 1_000))
    assert_nothing_left()


def test_a_worker_that_hangs_is_given_up_after_the_named_limit() -> None:
    loader = bound(
        Trapped(9, at=1, does=hangs), limits=Limits(data_batch_s=0.3, data_worker_stop_s=0.2)
    )
    loader.batch(0, 0)
    with pytest.raises(DataWorkerLost, match="data_batch_s"):
        loader.batch(1, 0)
    assert_nothing_left()


def test_after_a_loss_the_loader_can_be_used_again() -> None:
    loader = bound(Numbers(100))
    loader.batch(0, 0)
    multiprocessing.active_children()[0].kill()
    with pytest.raises(DataWorkerLost):
        read(loader, range(1, 100))
    assert read(loader, range(5, 8)) == [5, 6, 7]
    loader.close()


def test_a_preparation_that_fails_is_a_lost_worker(capfd: pytest.CaptureFixture[str]) -> None:
    def fail(_number: int) -> None:
        raise OSError("no such bucket")

    loader = bound(Numbers(9), worker_init_fn=fail)
    with pytest.raises(DataWorkerLost, match="status 1"):
        loader.batch(0, 0)
    assert "no such bucket" in capfd.readouterr().err
    assert_nothing_left()


def test_workers_that_can_t_be_started_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = bound(Numbers(9))
    monkeypatch.setattr(os, "fork", _no_room)
    with pytest.raises(DataWorkerLost, match="can't be started"):
        loader.seek(0)
    monkeypatch.undo()
    assert loader.batch(0, 0).item() == 0
    loader.close()


def test_workers_do_not_keep_the_rank_s_connections_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ours = socket.create_connection(server.getsockname(), timeout=WAIT_S)
        theirs, _ = server.accept()
    loader = bound(Numbers(9))
    read(loader, range(3))
    ours.close()
    with theirs:
        theirs.settimeout(WAIT_S)
        # the peer hears of it although the workers, which inherited the connection, still run
        assert theirs.recv(1) == b""
    assert len(multiprocessing.active_children()) == 2
    loader.close()


def test_workers_end_when_their_training_process_is_killed() -> None:
    here, there = multiprocessing.get_context("fork").Pipe()
    trainer = multiprocessing.get_context("fork").Process(target=_train, args=(there,))
    trainer.start()
    assert here.poll(WAIT_S)
    workers: list[int] = here.recv()
    watched = [os.pidfd_open(worker) for worker in workers]
    trainer.kill()
    trainer.join(WAIT_S)
    for descriptor in watched:
        ended, _, _ = select.select([descriptor], [], [], WAIT_S)
        assert ended
        os.close(descriptor)


def _train(connection: Connection) -> None:
    """Read with workers, tell their pids, and wait to be killed."""
    loader = bound(Numbers(9))
    loader.batch(0, 0)
    connection.send([process.pid for process in multiprocessing.active_children()])
    signal.pause()


def _no_room() -> int:
    raise BlockingIOError("Resource temporarily unavailable")

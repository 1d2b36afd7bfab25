"""Reading in worker processes, ahead of use.

The workers are not those of ``torch.utils.data.DataLoader``. If one of its workers is killed,
its iterator may wait for ever for a semaphore that the dead process held, when it is closed or
collected; and it raises an error out of a signal handler, at any place of the training step.
Here each worker has a connection of its own, its death is the end of that connection, and no
wait of the training thread is without a limit.
"""

import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final, Literal, NoReturn

from torch import multiprocessing

from hotswap.errors import DataWorkerLost
from hotswap.limits import Limits
from hotswap.runtime.data.feed import BatchRequest
from hotswap.runtime.data.pinning import pinned
from hotswap.runtime.data.reader import BatchReader, Reply
from hotswap.runtime.data.worker import WorkerInit, serve

StartMethod = Literal["fork", "spawn"]

#: A worker whose connection has ended will have an exit status soon.
EXIT_S: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Worker:
    """One worker process, as the training process sees it."""

    process: BaseProcess
    # requests go out, replies come in
    connection: Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lost:
    """Stands in the line of replies where they end."""

    reason: str


class WorkerReaders:
    """Worker processes that take turns; a thread collects their replies in order.

    Args:
        reader: answers one request, in a worker.
        num_workers: processes.
        start_method: how they are started.
        worker_init: called in each of them first, with its number.
        pin_memory: copy batches to page-locked memory, in the collecting thread.
        limits: ``data_batch_s`` and ``data_worker_stop_s`` are used.
    """

    def __init__(
        self,
        *,
        reader: BatchReader,
        num_workers: int,
        start_method: StartMethod,
        worker_init: WorkerInit | None,
        pin_memory: bool,
        limits: Limits,
    ) -> None:
        self._reader = reader
        self._num_workers = num_workers
        self._context: Any = multiprocessing.get_context(start_method)
        self._worker_init = worker_init
        self._pin_memory = pin_memory
        self._limits = limits
        self._workers: list[_Worker] = []
        self._collector: threading.Thread | None = None
        self._replies = self._new_line()
        self._submitted = 0
        self._received = 0

    @property
    def outstanding(self) -> int:
        """Requests without a reply so far."""
        return self._submitted - self._received

    def start(self) -> None:
        """Start the workers, if they are not running.

        Raises:
            DataWorkerLost: the system has no room for another process.
        """
        if self._workers:
            return
        try:
            for number in range(self._num_workers):
                self._workers.append(self._start_worker(number))
        except OSError as error:
            self._give_up(f"{self._num_workers} data workers can't be started: {error}")
        connections = [worker.connection for worker in self._workers]
        self._collector = threading.Thread(
            target=_collect,
            args=(connections, self._replies, self._pin_memory),
            name="hotswap-data",
            daemon=True,
        )
        self._collector.start()

    def submit(self, request: BatchRequest) -> None:
        """Send a request to the worker whose turn it is.

        Raises:
            DataWorkerLost: the worker has died, or no worker could be started.
        """
        self.start()
        try:
            self._workers[self._submitted % self._num_workers].connection.send(request)
        except OSError as error:
            self._give_up(str(error))
        self._submitted += 1

    def receive(self) -> Reply:
        """Wait for the reply to the oldest outstanding request.

        Raises:
            DataWorkerLost: a worker has died, or has not answered for ``data_batch_s``.
        """
        try:
            reply = self._replies.get(timeout=self._limits.data_batch_s)
        except queue.Empty:
            self._give_up(f"no batch for {self._limits.data_batch_s:g} s, the limit `data_batch_s`")
        if isinstance(reply, _Lost):
            self._give_up(reply.reason)
        self._received += 1
        return reply

    def stop(self) -> None:
        """End the workers, forget outstanding requests; idempotent. A new start is possible."""
        workers, collector = self._workers, self._collector
        for worker in workers:
            _ask_to_leave(worker)
        for worker in workers:
            worker.process.join(self._limits.data_worker_stop_s)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join(self._limits.data_worker_stop_s)
        # with its workers gone, the collector finds the end of a connection
        if collector is not None:
            collector.join(self._limits.data_worker_stop_s)
        for worker in workers:
            worker.connection.close()
        self._workers = []
        self._collector = None
        self._replies = self._new_line()
        self._submitted = self._received = 0

    def _new_line(self) -> "queue.Queue[Reply | _Lost]":
        """Give an empty line of replies, long enough for all that can be requested."""
        # the one that a receiver is waiting for, and the end of the line, come on top
        return queue.Queue(maxsize=self._limits.data_in_flight_max + 2)

    def _start_worker(self, number: int) -> _Worker:
        """Start one worker."""
        here, there = self._context.Pipe()
        process = self._context.Process(
            target=serve,
            kwargs={
                "worker": number,
                "connection": there,
                "reader": self._reader,
                "worker_init": self._worker_init,
            },
            name=f"hotswap-data-{number}",
            daemon=True,
        )
        process.start()
        # held here, it would keep the connection open after the worker's death
        there.close()
        return _Worker(process=process, connection=here)

    def _give_up(self, reason: str) -> NoReturn:
        """Stop all workers and say what is known of the cause."""
        processes = {worker.process.sentinel: worker.process for worker in self._workers}
        ready = wait(processes, EXIT_S)
        ended = [process for sentinel, process in processes.items() if sentinel in ready]
        for process in ended:
            # its descriptors are closed, its exit status comes right after
            process.join(EXIT_S)
        if ended:
            reason = ", ".join(
                f"worker process {process.pid} has ended with status {process.exitcode}"
                for process in ended
            )
        self.stop()
        raise DataWorkerLost(
            f"data can't be read ahead: {reason}. Look for a kill by the system for want of"
            " memory (status -9), for a full /dev/shm, or for a sample that takes too long; or"
            " pass num_workers=0 to read in the training process"
        )


def _collect(
    connections: Sequence[Connection],
    replies: "queue.Queue[Reply | _Lost]",
    pin_memory: bool,  # noqa: FBT001 - the body of a thread: nobody else calls it
) -> None:
    """Move replies from the workers, which take turns, to the training thread."""
    try:
        for connection in cycle(connections):
            reply: Reply = connection.recv()
            replies.put_nowait(pinned(reply) if pin_memory else reply)
    except Exception as error:  # noqa: BLE001 - the training thread is told, whatever it is
        replies.put_nowait(_Lost(reason=f"{type(error).__name__}: {error}"))


def _ask_to_leave(worker: _Worker) -> None:
    """Tell a worker that no request follows."""
    try:
        worker.connection.send(None)
    except OSError:
        # it is dead: it will not be asked, only waited for
        return

"""The process that reads ahead: answers requests until it is told to leave, or is left alone."""

import multiprocessing
import os
import signal
import stat
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

import torch

from hotswap.runtime.data.feed import BatchRequest
from hotswap.runtime.data.reader import BatchReader, Reply

_OWN_DESCRIPTORS: Final = Path("/proc/self/fd")

#: Called once in each worker, with its number, before it reads.
WorkerInit = Callable[[int], None]


def serve(
    *, worker: int, connection: Connection, reader: BatchReader, worker_init: WorkerInit | None
) -> None:
    """Answer requests in order; return on None, or when the training process has ended.

    Args:
        worker: number of this worker.
        connection: where requests come from and replies go to.
        reader: answers one request.
        worker_init: the script's own preparation.
    """
    # Ctrl-C is the training process's to handle, and its handlers are not this process's
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    let_go_of_sockets(keep=connection.fileno())
    # the processors are the training's; a forked process could not use its parent's threads
    torch.set_num_threads(1)
    if worker_init is not None:
        worker_init(worker)
    while (request := _next_request(connection)) is not None:
        if not _send(connection, reader.read(request), request):
            return


def let_go_of_sockets(*, keep: int) -> None:
    """Replace each inherited socket by the null device; Linux only, else a no-op.

    A forked worker inherits the descriptors of the rank's connections. As long as it holds one,
    the kernel keeps that connection open: when the rank is killed, or closes it to leave an
    epoch, its peers would not hear of it.

    The number stays taken: an object inherited from the parent that closes "its" descriptor
    later closes the null device, not something that this worker has opened since.

    Args:
        keep: descriptor of the one socket that is the worker's.
    """
    if sys.platform != "linux":
        return
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in [int(entry.name) for entry in _OWN_DESCRIPTORS.iterdir()]:
        if descriptor != keep and _is_socket(descriptor):
            os.dup2(null, descriptor, inheritable=False)
    os.close(null)


def _is_socket(descriptor: int) -> bool:
    """Tell whether a descriptor is a socket of any kind."""
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:
        # the descriptor with which the directory was listed is closed by now
        return False


def _next_request(connection: Connection) -> BatchRequest | None:
    """Wait for a request, without a limit: the training computes as long as it likes."""
    parent = multiprocessing.parent_process()
    ends: list[Any] = [connection] if parent is None else [connection, parent.sentinel]
    if connection not in wait(ends):
        return None
    try:
        request: BatchRequest | None = connection.recv()
    except (EOFError, OSError):
        return None
    return request


def _send(connection: Connection, reply: Reply, request: BatchRequest) -> bool:
    """Send a reply; tell whether anyone is there to take it."""
    try:
        try:
            connection.send(reply)
        except OSError:
            raise
        except Exception:  # noqa: BLE001 - whatever keeps the script's batch from being sent
            connection.send(Reply.of_failure(request))
    except OSError:
        return False
    return True

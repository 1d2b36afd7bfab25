"""Leaving an epoch: collectives end at once, nothing arrives late, nothing is left behind."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
import torch.distributed as dist

from hotswap.errors import EpochLost
from tests.hotswap.runtime.group.world import World

if TYPE_CHECKING:
    from torch import Tensor

#: Epochs bound and left in the leak test, after as many to warm up.
EPOCHS = 12
#: After this long a thread that is about to wait does so, s.
WAITING_S = 0.5


def _waiting_allreduce(world: World, rank: int, started: threading.Barrier) -> Tensor:
    tensor = world.tensor(*([1.0] * 10_000))
    if rank == 0:  # never takes part: as good as frozen
        started.wait(timeout=10)
        return tensor
    work = world.groups[rank].allreduce([tensor])
    started.wait(timeout=10)
    with pytest.raises(EpochLost):
        work.wait()
    return tensor


def test_an_interrupt_ends_a_collective_that_waits_for_a_frozen_peer(world: World) -> None:
    """The waiting thread gets EpochLost; no limit has to run out first."""
    started = threading.Barrier(world.size + 1)

    def interrupt() -> None:
        started.wait(timeout=10)
        time.sleep(WAITING_S)
        for groups in world.epochs:
            groups.interrupt()

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    world.run(lambda rank: _waiting_allreduce(world, rank, started))
    interrupter.join(timeout=10)
    assert not interrupter.is_alive()


def test_the_first_failed_collective_is_reported_once(world: World) -> None:
    """Whoever waits learns of the loss by an error, and the coordinator by one report."""
    started = threading.Barrier(world.size)
    threading.Timer(0.2, world.epochs[1].interrupt).start()
    world.run(lambda rank: _waiting_allreduce(world, rank, started))
    assert world.failures
    assert len(world.failures) <= world.size


def test_a_collective_is_refused_once_its_epoch_is_lost(world: World) -> None:
    """Nothing is started in a lost epoch."""
    world.epochs[0].interrupt()
    with pytest.raises(EpochLost, match="epoch 1 is lost"):
        world.groups[0].allreduce([world.tensor(1)])


def test_nothing_of_a_closed_epoch_reaches_a_tensor(world: World) -> None:
    """A peer that sends late, into an epoch that was left, writes nowhere."""
    tensor = world.tensor(-1, -1)
    receiving = world.groups[1].recv([tensor], 0, 7)
    world.epochs[1].interrupt()
    world.epochs[1].close()
    with pytest.raises((EpochLost, RuntimeError)):  # noqa: PT012 - whichever notices first
        world.groups[0].send([world.tensor(5, 5)], 1, 7).wait()
        world.groups[0].recv([world.tensor(0)], 1, 8).wait()
    assert tensor.tolist() == [-1, -1]
    assert receiving.wait() is True  # results of a lost epoch no longer matter


def test_a_group_whose_peer_is_gone_is_broken_before_any_collective_fails(world: World) -> None:
    """The connections say so by themselves, without traffic."""
    assert not world.epochs[0].broken()
    world.epochs[2].interrupt()
    world.epochs[2].close()
    assert world.epochs[0].broken()


def test_a_new_epoch_works_beside_and_after_an_old_one(world: World) -> None:
    """Groups of the next epoch connect while the old ones are in use."""
    old = world.epochs
    world.bind(2)
    for groups in old:
        groups.close()
    reduced = world.run(lambda rank: _sum(world, rank))
    assert [tensor.tolist() for tensor in reduced] == [[3.0]] * world.size


def _sum(world: World, rank: int) -> Tensor:
    tensor = world.tensor(rank)
    world.groups[rank].allreduce([tensor], dist.AllreduceOptions()).wait()
    return tensor


def _footprint() -> tuple[int, int]:
    gc.collect()
    own = Path("/proc/self")
    return len(list((own / "fd").iterdir())), len(list((own / "task").iterdir()))


def test_epochs_leave_no_descriptors_and_no_threads_behind() -> None:
    """After many epochs, left in good order or lost, there are as many as at first."""
    world = World(2, torch.device("cpu"))
    epochs = range(2, 2 + 2 * EPOCHS)
    # taking one is slow in a process that has much in its memory
    footprints = {}
    for epoch in epochs:
        for groups in world.epochs:
            if epoch % 2:
                groups.interrupt()
            groups.close()
        if epoch in (epochs[EPOCHS // 2], epochs[-1]):
            footprints[epoch] = _footprint()
        world.bind(epoch)
        world.run(lambda rank: _sum(world, rank))
    world.close()
    early, late = footprints.values()
    assert late <= early

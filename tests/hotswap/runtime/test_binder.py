"""Connecting the groups of an epoch in the background, and what is left of it afterwards."""

import gc
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch._C._distributed_c10d import TCPStore

from hotswap.limits import Limits
from hotswap.runtime.binder import Binding
from hotswap.wire.messages import Endpoint

#: For a thread of torch's to notice the end of a connection, s.
SETTLE_S = 0.1

LIMITS = replace(Limits(), bind_s=20.0, abandon_s=5.0)


@pytest.fixture
def store() -> TCPStore:
    return TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Many training scripts switch it off."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def settled() -> int:
    """Return how many are open once the store's thread has seen which connections have ended."""
    before, now = -1, descriptors()
    while before != now:
        time.sleep(SETTLE_S)
        before, now = now, descriptors()
    return now


def bind(store: TCPStore, *, epoch: int, world_size: int = 1) -> Binding:
    return Binding(
        epoch=epoch,
        rank=0,
        world_size=world_size,
        store=Endpoint(host="127.0.0.1", mirror_port=1, store_port=store.port),
        specs=(),
        device=torch.device("cpu"),
        host="127.0.0.1",
        limits=LIMITS,
        on_failure=lambda *_: None,
        on_bound=lambda _: None,
    )


@pytest.mark.usefixtures("no_collector")
def test_an_epoch_that_is_closed_leaves_no_connection_to_the_store(store: TCPStore) -> None:
    """Nor does what refers to it in a circle, until the garbage collector comes by."""
    kept = []
    counts = []
    for epoch in range(1, 5):
        binding = bind(store, epoch=epoch)
        groups = binding.take()
        assert groups is not None
        groups.close()
        kept += [binding, groups]
        counts.append(settled())
    assert counts[1:] == [counts[0]] * 3


def test_groups_are_given_away_once(store: TCPStore) -> None:
    binding = bind(store, epoch=1)
    groups = binding.take()
    assert groups is not None
    assert binding.take() is None
    # of no consequence for who has them
    binding.close()
    assert not groups.broken()
    groups.close()


def test_what_is_given_up_is_not_given_away(store: TCPStore) -> None:
    """The other rank never comes."""
    binding = bind(store, epoch=1, world_size=2)
    binding.give_up()
    assert binding.take() is None

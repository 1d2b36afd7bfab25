"""Connecting the groups of an epoch in the background, and what is left of it afterwards."""

import gc
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from torch._C._distributed_c10d import TCPStore

from dev.stack.waiting import wait_until
from hotswap.limits import Limits
from hotswap.runtime.binder import Binding
from hotswap.wire.messages import Endpoint
from tests.hotswap.descriptors import open_descriptors

#: For a thread of torch's to notice the end of a connection, s.
SEEN_S = 20.0

LIMITS = replace(Limits(), bind_s=30.0)
#: For one that is to end by it.
BRIEF = replace(LIMITS, bind_s=2.0)


@pytest.fixture
def store() -> Iterator[TCPStore]:
    served = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    yield served
    # whoever still waits for another rank has to have given up before it goes
    for thread in threading.enumerate():
        if thread.name.startswith("hotswap-bind"):
            thread.join(SEEN_S)


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Many training scripts switch it off."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def bind(store: TCPStore, *, epoch: int, world_size: int = 1, limits: Limits = LIMITS) -> Binding:
    return Binding(
        epoch=epoch,
        rank=0,
        world_size=world_size,
        store=Endpoint(host="127.0.0.1", mirror_port=1, store_port=store.port),
        specs=(),
        device=torch.device("cpu"),
        host="127.0.0.1",
        limits=limits,
        on_failure=lambda *_: None,
        on_bound=lambda _: None,
    )


@pytest.mark.usefixtures("no_collector")
def test_an_epoch_that_is_closed_leaves_no_connection_to_the_store(store: TCPStore) -> None:
    """Nor does what refers to it in a circle, until the garbage collector comes by."""
    kept = []
    before = open_descriptors()
    for epoch in range(1, 5):
        binding = bind(store, epoch=epoch)
        groups = binding.take()
        assert groups is not None
        groups.close()
        kept += [binding, groups]
    # the store's own thread has yet to see the ends of the connections
    assert wait_until(
        lambda: open_descriptors() <= before, "the ends of the connections", wait_s=SEEN_S
    )


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
    binding = bind(store, epoch=1, world_size=2, limits=BRIEF)
    binding.give_up()
    assert binding.take() is None

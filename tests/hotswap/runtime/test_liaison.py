"""What a member does beside its main thread: commands may come faster than that looks."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from hotswap.environment import MemberEnvironment
from hotswap.limits import Limits
from hotswap.runtime.group.registry import GroupRegistry
from hotswap.runtime.liaison import Liaison
from hotswap.wire import messages
from hotswap.wire.messages import Endpoint, Seat

HERE = Endpoint(host="127.0.0.1", store_port=1, mirror_port=1)


class FakeBinding:
    """Stands for connections; remembers whether they were freed."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        self.closed = False

    def close(self) -> None:
        self.closed = True

    def give_up(self) -> None:
        pass


@pytest.fixture
def liaison(tmp_path: Path) -> Iterator[Liaison]:
    environment = MemberEnvironment(
        job="job",
        job_directory=tmp_path,
        job_key=bytes(32),
        member="r0",
        wanted_rank=0,
        world_size=1,
        checkpoint_directory=tmp_path,
    )
    made = Liaison(
        environment,
        Limits(next_epoch_s=30.0),
        registry=GroupRegistry(),
        device=torch.device("cpu"),
        store_port=1,
    )
    yield made
    made.mirrors.close()


def start(epoch: int) -> messages.Start:
    seat = Seat(rank=0, member="r0", endpoint=HERE)
    return messages.Start(token=1, epoch=epoch, roster=(seat,), committed=0, store=HERE)


def test_the_end_of_an_epoch_is_not_missed_when_the_next_one_begins_at_once(
    liaison: Liaison,
) -> None:
    liaison.command(start(1))
    assert liaison.in_force(1)
    waiting = threading.Thread(target=liaison.await_end, args=(1,), daemon=True)
    waiting.start()
    with liaison.changed:
        # Nobody that waits sees the moment between the two.
        liaison.command(messages.EpochDead(token=1, epoch=1, reason="a rank was lost"))
        liaison.command(start(2))
    waiting.join(5)
    assert not waiting.is_alive()
    assert liaison.in_force(2)


def test_waiting_for_the_end_of_an_epoch_that_is_over_returns_at_once(liaison: Liaison) -> None:
    liaison.command(start(1))
    liaison.command(messages.EpochDead(token=1, epoch=1, reason="a rank was lost"))
    liaison.command(start(2))
    begun_s = time.monotonic()
    liaison.await_end(1)
    assert time.monotonic() - begun_s < 5


def test_taking_connections_frees_those_of_earlier_epochs_and_keeps_later_ones(
    liaison: Liaison,
) -> None:
    bindings = {epoch: FakeBinding(epoch) for epoch in (1, 2, 3)}
    liaison.bindings.update(bindings)  # type: ignore[arg-type]  # a double
    taken = liaison.take_binding(2)
    assert taken is not None
    assert taken.epoch == 2
    assert bindings[1].closed
    assert not bindings[2].closed
    assert not bindings[3].closed
    assert list(liaison.bindings) == [3]

"""Owner and mirror over a real socket: copied, followed, compared, taken over, and damaged."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import torch

from hotswap.errors import StateMismatch
from hotswap.runtime.mirror import protocol
from hotswap.transfer.digest import tensor_digests
from tests.hotswap.runtime.mirror.pair import LIMITS, Pair, build_state

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def pair() -> Iterator[Pair]:
    built = Pair()
    yield built
    built.close()


@pytest.fixture
def damaged_pair() -> Iterator[Pair]:
    built = Pair(through_proxy=True)
    yield built
    built.close()


def _digests_of_a_newcomer(pair: Pair, *, apply_pending: bool) -> dict[str, str]:
    """Take the mirror's state over into a model of its own."""
    newcomer = build_state(LIMITS)
    taken = pair.server.take(3).take(apply_pending=apply_pending)
    newcomer.load(
        version=taken.version,
        units=taken.units,
        tensors=taken.tensors,
        buffers=taken.buffers,
        small=taken.small,
    )
    if taken.applied is not None:
        newcomer.advance(skip=taken.applied.skip)
    assert newcomer.hyperparameters() == pair.state.hyperparameters()
    return newcomer.digests(tensor_digests)


def test_a_mirror_is_copied_in_slices_while_steps_go_on(pair: Pair) -> None:
    """It takes several boundaries, and no step waits before the copy is complete."""
    acknowledged = [pair.step() for _ in range(6)]
    assert acknowledged[0] == ()
    assert acknowledged[-1] == ("standby-0",)
    assert pair.replication.protecting == ("standby-0",)


def test_a_mirror_holds_the_owners_bits_after_every_step(pair: Pair) -> None:
    """Parameters, optimizer state and batch statistics, compared by digest."""
    pair.protect()
    for _ in range(4):
        pair.step()
        pair.replication.compare(pair.state.version, pair.state.digests(tensor_digests))
    pair.heard.wait_for(lambda: len(pair.heard.compared_at) == 4)
    assert [names for _, names in pair.heard.compared_at] == [()] * 4


def test_a_newcomer_takes_the_state_of_the_last_committed_step(pair: Pair) -> None:
    """Loaded into a model of its own, it is what the owner has, learning rate included."""
    pair.protect()
    pair.replication.hand_over("standby-0", step=pair.state.version, next_epoch=2)
    pair.heard.wait_for(lambda: bool(pair.heard.handovers))
    assert pair.heard.handovers == [(3, pair.state.version, 2)]
    assert _digests_of_a_newcomer(pair, apply_pending=False) == pair.state.digests(tensor_digests)


def test_a_newcomer_applies_the_step_that_its_owner_did_not_live_to_confirm(pair: Pair) -> None:
    """The gradients are pending at the mirror; somebody else has applied the step."""
    pair.protect()
    step = pair.state.version
    pair.replication.boundary(step)
    pair.compute()
    pair.replication.replicate(step, skip=False)
    assert pair.replication.acknowledged(step) == ("standby-0",)
    assert pair.cores[3].pending
    pair.state.apply()
    assert _digests_of_a_newcomer(pair, apply_pending=True) == pair.state.digests(tensor_digests)


def test_a_step_that_counted_nowhere_is_repeated_in_the_next_epoch(pair: Pair) -> None:
    """Its gradients replace those of the lost epoch, and the bits stay equal."""
    pair.protect()
    step = pair.state.version
    pair.compute()
    pair.replication.replicate(step, skip=False)
    pair.replication.acknowledged(step)
    with pair.guard:
        pair.cores[3].seal(1)
    pair.state.discard()
    pair.epoch = 2
    pair.replication.commit(step - 1)
    assert pair.step() == ("standby-0",)
    pair.replication.compare(pair.state.version, pair.state.digests(tensor_digests))
    pair.heard.wait_for(lambda: bool(pair.heard.compared_at))
    assert pair.heard.compared_at[-1] == (step + 1, ())


def test_a_bundle_of_a_dead_epoch_changes_nothing_that_was_reported(pair: Pair) -> None:
    """A commit that arrives after the mirror has reported is not applied."""
    pair.protect()
    step = pair.state.version
    pair.compute()
    pair.replication.replicate(step, skip=False)
    pair.replication.acknowledged(step)
    with pair.guard:
        pair.cores[3].seal(1)
        reported = pair.cores[3].holding()
    pair.state.apply()
    pair.replication.commit(step)
    pair.replication.hand_over("standby-0", step=step + 1, next_epoch=2)  # dropped as well
    pair.epoch = 2
    pair.replication.hand_over("standby-0", step=step, next_epoch=3)
    pair.heard.wait_for(lambda: bool(pair.heard.handovers))
    assert pair.heard.handovers == [(3, step, 3)]
    assert pair.cores[3].holding() == reported


def test_a_bit_flipped_in_a_gradient_in_flight_is_named_and_sent_again(damaged_pair: Pair) -> None:
    """The step is acknowledged only once its bytes are right."""
    damaged_pair.protect()
    assert damaged_pair.proxy is not None
    damaged_pair.proxy.damages = ["gradients"]
    assert damaged_pair.step() == ("standby-0",)
    ((where, tensors),) = damaged_pair.heard.differing
    assert where == "gradient"
    assert all(name.split(":")[0] in {"gradient", "buffer"} for name in tensors)
    damaged_pair.replication.compare(
        damaged_pair.state.version, damaged_pair.state.digests(tensor_digests)
    )
    damaged_pair.heard.wait_for(lambda: bool(damaged_pair.heard.compared_at))
    assert damaged_pair.heard.compared_at[-1][1] == ()


def test_a_bit_flipped_in_the_copy_is_named_and_the_copy_made_anew(damaged_pair: Pair) -> None:
    """A damaged copy never counts as complete."""
    assert damaged_pair.proxy is not None
    damaged_pair.proxy.damages = ["units"]
    damaged_pair.protect()
    ((where, tensors),) = damaged_pair.heard.differing
    assert where == "copy"
    assert len(tensors) == 1
    damaged_pair.replication.compare(
        damaged_pair.state.version, damaged_pair.state.digests(tensor_digests)
    )
    damaged_pair.heard.wait_for(lambda: bool(damaged_pair.heard.compared_at))
    assert damaged_pair.heard.compared_at[-1][1] == ()


def test_a_bit_flipped_in_the_mirrors_memory_is_named_and_not_swapped_in(pair: Pair) -> None:
    """The tensor is named at the take-over, which is refused."""
    pair.protect()
    slot = pair.server.slot(3)
    assert slot is not None
    pair.replication.compare(pair.state.version, pair.state.digests(tensor_digests))
    pair.heard.wait_for(lambda: bool(pair.heard.compared_at))
    parameter = slot._replay.tensors()["3.weight"]
    parameter.view(torch.int32)[0, 0] ^= 1 << 9
    with pytest.raises(StateMismatch, match=r"3\.weight") as refused:
        slot.take(apply_pending=False)
    assert tuple(refused.value.tensors) == ("3.weight",)
    assert not pair.cores[3].intact


def test_a_difference_from_the_owner_is_named_and_the_copy_made_anew(pair: Pair) -> None:
    """Somebody corrupts silently: the comparison says where, and protection starts over."""
    pair.protect()
    slot = pair.server.slot(3)
    assert slot is not None
    digests = pair.state.digests(tensor_digests)
    digests["3.bias"] = "0" * 64
    pair.replication.compare(pair.state.version, digests)
    pair.heard.wait_for(lambda: bool(pair.heard.compared_at))
    assert pair.heard.compared_at[-1][1] == ("3.bias",)
    assert not pair.cores[3].intact
    with pair.link._changed:
        assert pair.link._changed.wait_for(
            lambda: any(kind == protocol.DIGESTS for kind, _ in pair.link._receipts), timeout=10
        )
    pair.replication.boundary(pair.state.version)
    assert pair.replication.protecting == ()
    pair.protect()
    assert pair.cores[3].intact


def test_the_job_goes_on_when_the_mirror_goes_away(pair: Pair) -> None:
    """Votes no longer wait for it, and it is reported."""
    pair.protect()
    pair.server.close()
    pair.heard.wait_for(lambda: bool(pair.heard.lost))
    assert pair.step() == ()


def test_an_owner_of_an_earlier_epoch_cannot_write(pair: Pair) -> None:
    """A healed process that lost its rank is refused by the mirror."""
    pair.epoch = 5
    pair.protect()
    stale = Pair()
    try:
        link = pair.connect(pair.server.port)
        stale.replication.add(link)
        stale.epoch = 4
        stale.replication.boundary(0)
        pair.heard.wait_for(lambda: bool(pair.heard.lost))
        assert link.lost is not None
        assert pair.step() == ("standby-0",)
    finally:
        stale.close()


def test_a_copy_stands_still_while_another_one_is_taken_over() -> None:
    """The newcomer needs the processor for itself; what is committed is applied afterwards."""
    pair = Pair(limits=replace(LIMITS, takeover_s=60.0))
    try:
        pair.protect()
        version = pair.state.version
        pair.replication.compare(version, pair.state.digests(tensor_digests))
        pair.heard.wait_for(lambda: pair.heard.compared_at == [(version, ())])
        pair.server.standstill.begin()
        assert pair.step() == ("standby-0",)
        # long enough for a commit that does not wait
        time.sleep(0.05)
        assert (pair.cores[3].version, pair.cores[3].pending) == (version, True)
        pair.server.standstill.end()
        pair.replication.compare(version + 1, pair.state.digests(tensor_digests))
        pair.heard.wait_for(lambda: pair.heard.compared_at[1:] == [(version + 1, ())])
    finally:
        pair.close()


def test_others_stand_still_from_when_a_copy_is_about_to_be_taken(pair: Pair) -> None:
    """Not before, and not for a rank that is not mirrored here."""
    pair.protect()
    pair.server.freeze(9)
    assert not pair.server.standstill.under_way
    pair.server.freeze(3)
    assert pair.server.standstill.under_way

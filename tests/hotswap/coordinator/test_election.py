"""One coordinator at a time leads, knows when it must stop, and says how long nobody led."""

from dataclasses import dataclass

import pytest

from hotswap.coordinator.election import Deposed, Elected, Election
from hotswap.coordinator.lease import Lease
from hotswap.coordinator.memory_lease import MemoryLeaseStore
from hotswap.errors import FencedOff, StateUnwritable
from hotswap.limits import Limits

LIMITS = Limits()


@dataclass(slots=True)
class Clock:
    """The time that all coordinators go by."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass(slots=True)
class World:
    """Two candidates and what they share."""

    clock: Clock
    store: MemoryLeaseStore
    first: Election
    second: Election

    def pass_time(self, seconds: float) -> None:
        self.clock.now += seconds


@pytest.fixture
def world() -> World:
    clock, store = Clock(), MemoryLeaseStore()
    first, second = (
        Election(store, name=name, limits=LIMITS, clock=clock) for name in ("first", "second")
    )
    return World(clock, store, first, second)


def elected(outcome: Elected | Deposed | None) -> Elected:
    assert isinstance(outcome, Elected)
    return outcome


def test_the_first_leader_was_not_preceded_by_a_time_without_one(world: World) -> None:
    outcome = elected(world.first.look())
    assert (outcome.lease.token, outcome.election_s) == (1, None)
    assert world.first.leads
    assert world.second.look() is None
    assert not world.second.leads
    assert world.second.leader() == world.first.lease


def test_a_leader_that_looks_in_time_leads_for_ever(world: World) -> None:
    world.first.look()
    for _ in range(50):
        world.pass_time(world.first.look_again_s)
        assert world.first.look() is None
        assert world.second.look() is None
    assert world.first.leads


def test_a_leader_looks_as_often_as_it_renews_and_others_as_often_as_they_ask(
    world: World,
) -> None:
    world.first.look()
    assert world.first.look_again_s == LIMITS.leader_renew_s
    assert world.second.look_again_s == LIMITS.leader_poll_s


def test_a_frozen_leader_is_replaced_and_the_time_without_a_leader_is_told(world: World) -> None:
    world.first.look()
    world.pass_time(LIMITS.leader_lease_s + 0.01)
    outcome = elected(world.second.look())
    assert outcome.lease.token == 2
    assert outcome.election_s == pytest.approx(LIMITS.leader_lease_s + 0.01)


def test_a_leader_that_was_frozen_knows_it_before_it_has_looked(world: World) -> None:
    world.first.look()
    world.pass_time(LIMITS.leader_lease_s)
    assert not world.first.leads


def test_a_leader_that_was_frozen_is_deposed_when_it_looks(world: World) -> None:
    world.first.look()
    world.pass_time(3.0)
    world.second.look()
    outcome = world.first.look()
    assert isinstance(outcome, Deposed)
    assert "expired 2.500 s ago" in outcome.reason
    assert world.first.lease is None
    assert world.first.look() is None


def test_a_leader_whose_lease_was_taken_early_is_deposed_when_it_renews(world: World) -> None:
    lease = elected(world.first.look()).lease
    world.store.release(lease)  # as when the clocks of two machines differ
    world.second.look()
    outcome = world.first.look()
    assert isinstance(outcome, Deposed)
    assert "second has led since, with token 2" in outcome.reason


def test_a_deposed_leader_can_lead_again_under_a_higher_token(world: World) -> None:
    world.first.look()
    world.pass_time(1.0)
    assert isinstance(world.first.look(), Deposed)
    assert elected(world.first.look()).lease.token == 2


def test_a_leader_that_resigns_is_replaced_at_once(world: World) -> None:
    world.first.look()
    world.first.resign()
    assert not world.first.leads
    assert elected(world.second.look()).election_s == 0.0


def test_resigning_without_a_lease_is_nothing(world: World) -> None:
    world.first.resign()
    assert elected(world.second.look()).lease.token == 1


def test_only_a_leader_saves(world: World) -> None:
    with pytest.raises(FencedOff):
        world.first.save(b"too early")
    world.first.look()
    world.first.save(b"record")
    assert world.second.load() == b"record"


def test_a_leader_does_not_save_after_its_lease_even_if_nobody_else_leads(world: World) -> None:
    world.first.look()
    world.pass_time(LIMITS.leader_lease_s)
    with pytest.raises(FencedOff, match="expired"):
        world.first.save(b"too late")
    assert world.store.load() is None


class FullDisk(MemoryLeaseStore):
    """Refuses to be changed."""

    def renew(self, lease: Lease, *, now: float) -> Lease:
        raise StateUnwritable(f"no room to renew {lease.name} at {now}")


def test_a_leader_that_cannot_renew_leads_as_long_as_its_lease_lasts() -> None:
    clock = Clock()
    election = Election(FullDisk(), name="first", limits=LIMITS, clock=clock)
    election.look()
    clock.now += 0.1
    with pytest.raises(StateUnwritable):
        election.look()
    assert election.leads
    clock.now += LIMITS.leader_lease_s
    assert isinstance(election.look(), Deposed)

"""A coordinator in its shell leads a job of fake members over real connections."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pytest

from hotswap.channel.addresses import known_addresses, latest_leader
from hotswap.coordinator.candidate import Candidate
from hotswap.coordinator.event_log import Event
from hotswap.coordinator.file_lease import FileLeaseStore
from hotswap.coordinator.settings import Settings
from hotswap.limits import Limits
from hotswap.transfer.certificate import Certificate
from hotswap.wire.messages import ProcessExited, Refused, SwapAccepted, SwapRequest
from tests.hotswap.coordinator.checkpoint_files import write
from tests.hotswap.coordinator.fake_cluster import FakeCluster, until, watching
from tests.hotswap.coordinator.fake_member import digest
from tests.hotswap.coordinator.scripted import HOST, JOB, KEY, WAIT_S, connected, hello

# a leader that shares its process with a whole cluster may be late, and is to lead on nevertheless
LIMITS = replace(Limits(), leader_lease_s=10.0, lease_s=20.0, leader_poll_s=0.01, farewell_s=0.2)
RANKS = 2


@dataclass(slots=True, kw_only=True)
class World:
    """A job with one coordinator in this process."""

    settings: Settings
    candidate: Candidate
    cluster: FakeCluster

    @property
    def job(self) -> Path:
        return self.settings.job_directory

    def events(self) -> list[Event]:
        lines = (self.job / "events.jsonl").read_bytes().splitlines()
        return [msgspec.json.decode(line, type=Event) for line in lines]

    def certificates(self) -> list[Certificate]:
        paths = sorted((self.job / "certificates").glob("swap-*.json"))
        return [msgspec.json.decode(path.read_bytes(), type=Certificate) for path in paths]


def settings_for(job: Path, *, name: str = "coordinator-0", port: int = 0) -> Settings:
    return Settings(
        job_directory=job,
        name=name,
        world_size=RANKS,
        key=KEY,
        port=port,
        checkpoint_directory=job / "checkpoints",
        limits=LIMITS,
    )


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    job = tmp_path / JOB
    job.mkdir()
    settings = settings_for(job)
    with closing(FileLeaseStore(settings.lease_directory)) as store:
        candidate = Candidate(settings, store)
        running = asyncio.create_task(candidate.run())
        cluster = FakeCluster(job, limits=LIMITS)
        yield World(settings=settings, candidate=candidate, cluster=cluster)
        await cluster.close()
        candidate.stop()
        await asyncio.wait_for(running, WAIT_S)


async def form(world: World, *, standbys: int = 1) -> None:
    """Start a job and take a few steps, until its ranks are protected if they can be."""
    cluster = world.cluster
    cluster.start_all(ranks=RANKS, standbys=standbys)
    async with watching(world.job, limits=LIMITS, name="operator-0") as watcher:
        await cluster.train_until(lambda: min(cluster.committed(), default=0) >= 3, ranks=RANKS)
        while True:
            status = await watcher.status()
            if all(rank.protection == "protected" for rank in status.ranks) or not standbys:
                return
            cluster.step(RANKS)


async def test_a_job_forms_when_every_rank_has_a_member(world: World) -> None:
    await form(world)
    owners = world.cluster.owners
    assert {rank: owner.name for rank, owner in owners.items()} == {0: "node-0", 1: "node-1"}
    assert {event.kind for event in world.events()} >= {"elected", "member_joined", "epoch_started"}


async def test_operators_hear_of_every_step_and_the_file_of_events_has_it(world: World) -> None:
    cluster = world.cluster
    cluster.start_all(ranks=RANKS, standbys=0)
    async with watching(world.job, limits=LIMITS) as watcher:
        await cluster.train_until(lambda: watcher.kinds().count("committed") >= 3, ranks=RANKS)
        told = [notice.step for notice in watcher.notices if notice.kind == "committed"]
    written = [event.step for event in world.events() if event.kind == "committed"]
    assert told[:3] == [0, 1, 2]
    assert written[:3] == [0, 1, 2]


async def test_a_status_tells_who_leads_and_who_is_protected(world: World) -> None:
    await form(world)
    async with watching(world.job, limits=LIMITS) as watcher:
        status = await watcher.status()
    assert (status.job, status.leader, status.token) == (JOB, "coordinator-0", 1)
    assert (status.phase, status.election_s, status.standbys) == ("running", None, ("standby-0",))
    assert [rank.protection for rank in status.ranks] == ["protected", "protected"]


async def test_a_planned_swap_hands_a_rank_over_and_leaves_a_certificate(world: World) -> None:
    await form(world)
    cluster = world.cluster
    async with watching(world.job, limits=LIMITS) as watcher:
        watcher.connection.send(SwapRequest(request="1", rank=1, reason="fan fails"))
        await cluster.train_until(lambda: "swap_completed" in watcher.kinds(), ranks=RANKS)
        accepted = next(each for each in watcher.connection.seen if isinstance(each, SwapAccepted))
        completed = watcher.first("swap_completed")
    assert cluster.owners[1].name == "standby-0"
    assert completed is not None
    assert completed.values["pause_ms"] >= 0
    await cluster.train_until(lambda: bool(world.certificates()), ranks=RANKS)
    (certificate,) = world.certificates()
    assert (certificate.swap_id, certificate.kind) == (accepted.swap, "planned")
    assert (certificate.from_member, certificate.to_member) == ("node-1", "standby-0")
    assert certificate.step is not None
    assert certificate.digest_after == digest(1, certificate.step)
    assert certificate.states_equal
    assert (certificate.leader, certificate.token) == ("coordinator-0", 1)


async def test_the_old_owner_is_let_go_after_a_planned_swap(world: World) -> None:
    await form(world)
    async with watching(world.job, limits=LIMITS) as watcher:
        watcher.connection.send(SwapRequest(request="1", rank=0))
        old = world.cluster.members["node-0"]
        await world.cluster.train_until(lambda: old.left is not None, ranks=RANKS)
    assert old.left is not None
    assert (old.left.ok, old.left.code) == (True, "released")


async def test_a_rank_whose_process_is_killed_goes_on_with_the_standby(world: World) -> None:
    await form(world)
    cluster = world.cluster
    before = min(cluster.committed())
    async with watching(world.job, limits=LIMITS, role="supervisor", name="launcher") as watcher:
        await cluster.kill("node-1")
        watcher.connection.send(ProcessExited(name="node-1", status=-9))
        await cluster.train_until(lambda: "unplanned_completed" in watcher.kinds(), ranks=RANKS)
        await cluster.train_until(lambda: min(cluster.committed()) > before + 3, ranks=RANKS)
        lost = watcher.first("member_lost")
    assert lost is not None
    assert lost.member == "node-1"
    assert cluster.owners[1].name == "standby-0"
    assert cluster.owners[1].core.epoch == cluster.owners[0].core.epoch
    await cluster.train_until(lambda: bool(world.certificates()), ranks=RANKS)
    (certificate,) = world.certificates()
    assert (certificate.kind, certificate.steps_lost) == ("unplanned", 0)


async def test_a_loss_is_found_by_the_closed_connection_alone(world: World) -> None:
    await form(world)
    await world.cluster.kill("node-0")
    await world.cluster.train_until(
        lambda: len(world.cluster.owners) == RANKS and world.cluster.owners[0].name == "standby-0",
        ranks=RANKS,
    )


async def test_a_request_that_cannot_be_met_is_refused_with_its_reason(world: World) -> None:
    await form(world, standbys=0)
    async with watching(world.job, limits=LIMITS) as watcher:
        watcher.connection.send(SwapRequest(request="1", rank=1))
        await world.cluster.train_until(lambda: bool(watcher.refused), ranks=RANKS)
    assert watcher.refused[0].code == "no_standby"


async def test_garbage_on_the_port_does_not_disturb_a_job(world: World) -> None:
    await form(world)
    (address,) = known_addresses(world.job)
    before = min(world.cluster.committed())
    for _ in range(20):
        reader, writer = await asyncio.open_connection(HOST, address.port)
        writer.write(b"\x00\xff garbage" * 1000)
        with suppress(ConnectionError):
            await asyncio.wait_for(reader.read(), WAIT_S)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    await world.cluster.train_until(
        lambda: min(world.cluster.committed()) > before + 3, ranks=RANKS
    )
    assert {owner.core.epoch for owner in world.cluster.owners.values()} == {1}


async def test_whoever_speaks_another_version_is_refused_and_the_job_goes_on(world: World) -> None:
    await form(world)
    (address,) = known_addresses(world.job)
    async with connected(address.port, name="node-7") as stranger:
        stranger.send(hello("node-7", protocol=99))
        refused = await stranger.next()
        assert isinstance(refused, Refused)
        assert refused.code == "unknown_protocol_version"
        assert "version 99" in refused.detail
    before = min(world.cluster.committed())
    await world.cluster.train_until(lambda: min(world.cluster.committed()) > before, ranks=RANKS)


async def test_a_second_coordinator_stands_by_and_names_the_leader(world: World) -> None:
    await form(world)
    leader = latest_leader(world.job)
    assert leader is not None
    settings = settings_for(world.job, name="coordinator-1")
    with closing(FileLeaseStore(settings.lease_directory)) as store:
        second = Candidate(settings, store)
        running = asyncio.create_task(second.run())
        await until(lambda: len(known_addresses(world.job)) == 2)
        # the leader comes first, though the other one was announced later
        assert known_addresses(world.job)[0] == leader.address
        async with connected(known_addresses(world.job)[1].port) as member:
            member.send(hello())
            refused = await member.next()
        assert isinstance(refused, Refused)
        assert (refused.code, refused.leader) == ("not_leader", str(leader.address))
        second.stop()
        await asyncio.wait_for(running, WAIT_S)
    assert known_addresses(world.job) == (leader.address,)


async def test_a_leader_that_ends_in_order_is_followed_at_once(world: World) -> None:
    await form(world)
    settings = settings_for(world.job, name="coordinator-1")
    with closing(FileLeaseStore(settings.lease_directory)) as store:
        second = Candidate(settings, store)
        running = asyncio.create_task(second.run())
        await until(lambda: len(known_addresses(world.job)) == 2)
        world.candidate.stop()
        members = [world.cluster.members[name] for name in ("node-0", "node-1", "standby-0")]
        await world.cluster.train_until(
            lambda: all(2 in member.welcomes for member in members), ranks=RANKS
        )
        before = min(world.cluster.committed())
        await world.cluster.train_until(
            lambda: min(world.cluster.committed()) > before + 3, ranks=RANKS
        )
        # nobody was lost by it, and no epoch died
        assert {owner.core.epoch for owner in world.cluster.owners.values()} == {1}
        async with watching(world.job, limits=LIMITS) as watcher:
            status = await watcher.status()
        assert (status.leader, status.token) == ("coordinator-1", 2)
        assert status.election_s is not None
        await world.cluster.close()
        second.stop()
        await asyncio.wait_for(running, WAIT_S)


async def test_a_rank_lost_with_its_mirror_goes_on_from_the_checkpoint(world: World) -> None:
    await form(world)
    cluster = world.cluster
    write(world.settings.checkpoint_directory, step=2)
    assert min(cluster.committed()) > 2
    async with watching(world.job, limits=LIMITS) as watcher:
        await cluster.kill("standby-0")
        await cluster.kill("node-1")
        cluster.start("standby-1")
        await cluster.train_until(lambda: "restored" in watcher.kinds(), ranks=RANKS)
        restored = watcher.first("restored")
    assert restored is not None
    assert restored.values["steps_lost"] >= 1
    assert cluster.owners[1].name == "standby-1"


async def test_a_rank_lost_with_its_mirror_and_without_a_checkpoint_ends_the_job(
    world: World,
) -> None:
    await form(world)
    async with watching(world.job, limits=LIMITS, role="supervisor", name="launcher") as watcher:
        await world.cluster.kill("standby-0")
        await world.cluster.kill("node-1")
        world.cluster.start("standby-1")
        await world.cluster.train_until(lambda: bool(watcher.ended), ranks=RANKS)
    assert not watcher.ended[0].ok
    assert "checkpoint" in watcher.ended[0].reason


async def test_a_finished_job_is_told_to_everybody(world: World) -> None:
    await form(world)
    async with watching(world.job, limits=LIMITS, role="supervisor", name="launcher") as watcher:
        world.cluster.finish()
        members = list(world.cluster.members.values())
        await until(lambda: bool(watcher.ended) and all(member.left for member in members))
    assert watcher.ended[0].ok
    assert {member.left.code for member in members if member.left} == {"job_over"}
    assert world.events()[-1].kind == "finished"


async def test_no_secret_is_in_any_file_of_the_job(world: World) -> None:
    await form(world)
    for path in world.job.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert KEY not in content
            assert KEY.hex().encode() not in content

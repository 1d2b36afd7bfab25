"""Real coordinator processes are killed and frozen while a job of fake members goes on."""

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pytest

from hotswap.channel.addresses import latest_leader
from hotswap.coordinator.event_log import Event
from hotswap.limits import Limits
from hotswap.wire.messages import Refused
from tests.hotswap.coordinator.fake_cluster import FakeCluster, Watcher, until, watching
from tests.hotswap.coordinator.processes import Coordinators
from tests.hotswap.coordinator.scripted import HOST, JOB, connected, hello

RANKS = 2
# long enough for a busy machine not to take a leader for frozen
LIMITS = replace(Limits(), leader_lease_s=1.5, lease_s=4.0)
ENVIRONMENT = {"HOTSWAP_LEADER_LEASE_S": "1.5", "HOTSWAP_LEASE_S": "4"}


@dataclass(slots=True, kw_only=True)
class World:
    """A job with coordinators in processes of their own."""

    job: Path
    coordinators: Coordinators
    cluster: FakeCluster

    async def led_by(self, token: int) -> None:
        """Train until every member has been welcomed under ``token`` or a higher one."""
        members = [member for member in self.cluster.members.values() if not member.gone]
        await self.cluster.train_until(
            lambda: all(max(member.welcomes, default=0) >= token for member in members),
            ranks=RANKS,
        )

    async def train(self, steps: int) -> None:
        """Train for a number of steps."""
        end = min(self.cluster.committed(), default=0) + steps
        await self.cluster.train_until(
            lambda: min(self.cluster.committed(), default=0) >= end, ranks=RANKS
        )

    def token(self) -> int:
        leader = latest_leader(self.job)
        return leader.token if leader else 0

    def epochs(self) -> set[int]:
        return {owner.core.epoch for owner in self.cluster.owners.values()}

    def events(self) -> list[Event]:
        lines = (self.job / "events.jsonl").read_bytes().splitlines()
        return [msgspec.json.decode(line, type=Event) for line in lines]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    job = tmp_path / JOB
    job.mkdir()
    coordinators = Coordinators(job, world_size=RANKS, environment=ENVIRONMENT)
    cluster = FakeCluster(job, limits=LIMITS)
    try:
        yield World(job=job, coordinators=coordinators, cluster=cluster)
    finally:
        await cluster.close()
        coordinators.close()


async def begin(world: World) -> int:
    """Start two coordinators and a job; return the token under which coordinator-0 leads."""
    world.coordinators.start("coordinator-0")
    await until(lambda: world.token() > 0)
    world.coordinators.start("coordinator-1")
    world.coordinators.wait_for("coordinator-1", "listening")
    world.cluster.start_all(ranks=RANKS, standbys=1)
    await world.train(5)
    await world.led_by(1)
    assert not world.coordinators.logged("coordinator-1", "elected")
    return world.token()


async def test_when_the_leader_is_killed_the_other_one_leads_and_nobody_is_lost(
    world: World,
) -> None:
    former = await begin(world)
    world.coordinators.kill("coordinator-0")
    await world.led_by(former + 1)
    await world.train(5)
    assert world.token() > former
    assert world.epochs() == {1}
    async with watching(world.job, limits=LIMITS) as watcher:
        status = await watcher.status()
    assert status.leader == "coordinator-1"
    assert status.election_s is not None
    # it did not have to wait for the dead leader's lease to expire
    assert status.election_s < LIMITS.leader_lease_s
    assert "member_lost" not in {event.kind for event in world.events()}


async def test_a_frozen_leader_is_replaced_and_does_nothing_when_it_goes_on(world: World) -> None:
    former = await begin(world)
    world.coordinators.freeze("coordinator-0")
    await world.led_by(former + 1)
    await world.train(5)
    world.coordinators.thaw("coordinator-0")
    world.coordinators.wait_for("coordinator-0", "deposed")
    await world.train(5)
    assert world.epochs() == {1}
    leader = latest_leader(world.job)
    assert leader is not None
    assert leader.token == former + 1
    tokens = [event.token for event in world.events()]
    assert tokens == sorted(tokens), "the former leader has written after the new one"
    await follows(world, "coordinator-0", str(leader.address))


async def follows(world: World, name: str, leader: str) -> None:
    """Check that a coordinator sends members to the leader."""
    (line,) = [line for line in world.coordinators.log(name) if line["event"] == "listening"]
    port = int(str(line["address"]).rpartition(":")[2])
    async with connected(port, name="node-9") as member:
        member.send(hello("node-9"))
        refused = await member.next()
    assert isinstance(refused, Refused)
    assert (refused.code, refused.leader) == ("not_leader", leader)


async def test_a_job_goes_on_without_any_coordinator_and_is_found_by_the_next_one(
    world: World,
) -> None:
    former = await begin(world)
    world.coordinators.kill("coordinator-1")
    world.coordinators.kill("coordinator-0")
    await world.train(20)
    world.coordinators.start("coordinator-2")
    await world.led_by(former + 1)
    await world.train(5)
    assert world.epochs() == {1}


async def test_a_rank_is_replaced_though_its_loss_came_with_that_of_the_leader(
    world: World,
) -> None:
    former = await begin(world)
    async with watching(world.job, limits=LIMITS) as watcher:
        await protected(world, watcher)
    before = min(world.cluster.committed())
    world.coordinators.kill("coordinator-0")
    await world.cluster.kill("node-1")
    await world.led_by(former + 1)
    await world.cluster.train_until(
        lambda: len(world.cluster.owners) == RANKS and world.epochs() != {1}, ranks=RANKS
    )
    await world.train(5)
    assert world.cluster.owners[1].name == "standby-0"
    assert min(world.cluster.committed()) > before


async def protected(world: World, watcher: Watcher) -> None:
    """Train until every rank has a mirror that could take it over."""
    while True:
        status = await watcher.status()
        if all(rank.protection == "protected" for rank in status.ranks):
            return
        await world.train(1)


async def test_a_coordinator_that_is_told_to_end_leads_no_more_and_ends_well(world: World) -> None:
    former = await begin(world)
    assert world.coordinators.end("coordinator-0") == 0
    await world.led_by(former + 1)
    assert world.coordinators.end("coordinator-1") == 0
    assert latest_leader(world.job) is None


def last_error(world: World, name: str) -> dict[str, object]:
    return next(line for line in reversed(world.coordinators.log(name)) if line["level"] == "error")


async def test_a_port_in_use_ends_a_coordinator_with_what_to_do(world: World) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        world.coordinators.start("coordinator-0", "--port", str(port))
        assert world.coordinators.wait("coordinator-0") == 1
    error = last_error(world, "coordinator-0")
    assert error["code"] == "port_in_use"
    assert f"{HOST}:{port} is in use: choose another port" in str(error["detail"])


async def test_a_missing_key_ends_a_coordinator_with_what_to_do(world: World) -> None:
    world.coordinators.start("coordinator-0", HOTSWAP_JOB_KEY="")
    assert world.coordinators.wait("coordinator-0") == 1
    assert last_error(world, "coordinator-0")["code"] == "environment_invalid"


async def test_a_damaged_lease_ends_the_coordinators_and_not_the_job(world: World) -> None:
    await begin(world)
    newest = max((world.job / "lease").glob("lease-*"))
    newest.with_name("lease-999999999999").write_bytes(b"not a lease")
    statuses = await asyncio.gather(
        *(
            asyncio.to_thread(world.coordinators.wait, name)
            for name in ("coordinator-0", "coordinator-1")
        )
    )
    assert statuses == [1, 1]
    assert last_error(world, "coordinator-0")["code"] == "lease_damaged"
    await world.train(20)
    assert world.epochs() == {1}

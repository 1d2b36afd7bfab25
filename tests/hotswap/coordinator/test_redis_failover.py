"""Real coordinators that share a Valkey server: one is killed, and so is the server."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from dev.stack.waiting import wait_until
from hotswap.channel.addresses import latest_leader
from hotswap.coordinator.event_log import Event
from hotswap.coordinator.redis_addresses import RedisBook
from hotswap.coordinator.redis_lease import keys_of
from tests.hotswap.coordinator.processes import Coordinators
from tests.hotswap.coordinator.scripted import JOB, KEY
from tests.hotswap.coordinator.valkey_server import Valkey

WAIT_S = 20
#: What the product promises, s.
FAILOVER_S = 1.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Valkey]:
    folder = tmp_path / "valkey"
    folder.mkdir()
    with Valkey(folder) as serving:
        yield serving


@pytest.fixture
def coordinators(tmp_path: Path, server: Valkey) -> Iterator[Coordinators]:
    job = tmp_path / JOB
    job.mkdir()
    started = Coordinators(job, world_size=2, environment={"HOTSWAP_REDIS_URL": server.url})
    try:
        yield started
    finally:
        started.close()


def elections(coordinators: Coordinators) -> list[Event]:
    lines = (coordinators.job_directory / "events.jsonl").read_bytes().splitlines()
    events = [msgspec.json.decode(line, type=Event) for line in lines]
    return [event for event in events if event.kind == "elected"]


def token(coordinators: Coordinators) -> int:
    leader = latest_leader(coordinators.job_directory)
    return leader.token if leader else 0


def leads(coordinators: Coordinators, above: int) -> Callable[[], bool]:
    return lambda: token(coordinators) > above


def test_another_leads_within_a_second_of_the_leaders_death(
    coordinators: Coordinators, server: Valkey
) -> None:
    coordinators.start("coordinator-0")
    wait_until(leads(coordinators, 0), "a leader", wait_s=WAIT_S)
    coordinators.start("coordinator-1")
    coordinators.wait_for("coordinator-1", "listening")
    former = token(coordinators)
    coordinators.kill("coordinator-0")
    wait_until(leads(coordinators, former), "the next leader", wait_s=WAIT_S)
    first, second = elections(coordinators)
    assert (first.leader, second.leader) == ("coordinator-0", "coordinator-1")
    assert second.token == first.token + 1
    election_ms = second.values["election_ms"]
    assert election_ms is not None
    assert election_ms < FAILOVER_S * 1000
    with server.client() as client:
        book = RedisBook(client, key=keys_of(job=JOB, key=KEY).addresses)
        said = book.everything()
        assert said is not None
        # the one that was killed could not withdraw; the other one has said that it leads
        assert said["coordinator-1"].token == second.token
        assert book.address_of(name="coordinator-1") == said["coordinator-1"].address
    assert not (coordinators.job_directory / "lease").exists()


def test_a_coordinator_outlives_the_server_and_leads_again(
    coordinators: Coordinators, server: Valkey
) -> None:
    coordinators.start("coordinator-0")
    wait_until(leads(coordinators, 0), "a leader", wait_s=WAIT_S)
    former = token(coordinators)
    server.kill()
    coordinators.wait_for("coordinator-0", "deposed")
    server.start()
    wait_until(leads(coordinators, former), "it to lead again", wait_s=WAIT_S)
    assert [event.leader for event in elections(coordinators)] == ["coordinator-0"] * 2


def test_a_server_that_never_comes_ends_a_coordinator_with_what_to_do(
    coordinators: Coordinators, server: Valkey
) -> None:
    server.kill()
    coordinators.start("coordinator-0", HOTSWAP_FIND_LEADER_S="2.5")
    assert coordinators.wait("coordinator-0") == 1
    (error,) = [line for line in coordinators.log("coordinator-0") if line["level"] == "error"]
    assert error["code"] == "state_unwritable"
    assert "HOTSWAP_REDIS_URL" in str(error["detail"])

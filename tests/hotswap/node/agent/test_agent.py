"""The agent against a plane in memory: outages lose nothing, and each order has one effect."""

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hotswap.errors import PlaneMessageMalformed, PlaneUnreachable
from hotswap.limits import Limits
from hotswap.node.agent.agent import Agent, Parts
from hotswap.node.agent.credentials import keep_credential, new_key, request_certificate
from hotswap.node.agent.execution import Execution
from hotswap.node.agent.hosted_jobs import HostedJobs
from hotswap.node.agent.journal import Journal
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.outbox import Outbox
from hotswap.node.agent.quarantine import QuarantineFile
from hotswap.node.agent.renewal import Renewer
from hotswap.node.agent.sender import Sender
from hotswap.node.agent.state_directory import StateDirectory
from hotswap.node.job_directory import claim
from hotswap.node.run_record import JobDescription, write_description
from hotswap.wire.plane import (
    Attach,
    Inventory,
    JobPlace,
    Quarantine,
    Signal,
    StartMember,
    StopJob,
    StopMember,
    Swap,
)
from tests.hotswap.node.agent.authority_double import Authority
from tests.hotswap.node.agent.plane_double import MemoryClient, PlaneDouble
from tests.hotswap.node.agent.test_event_feed import append

LIMITS = replace(Limits(), find_leader_s=0.3, connect_s=0.2, reconnect_s=0.05)
AGENT_LIMITS = replace(
    AgentLimits(),
    retry_s=0.01,
    retry_s_max=0.02,
    look_every_s=0.01,
    report_delay_s=0.005,
    progress_every_s=0.02,
    discover_every_s=0.02,
    retire_s=0.2,
    samples_max=5,
    catch_up_every_s=0.01,
    command_s=0.1,
)
AUTHORITY = Authority()
WAIT_S = 20.0
PLACE = JobPlace(name="gpt", key="5e" * 32)


class OneSignal:
    """A node that has one instrument."""

    def collect(self, *, unix_s: float) -> tuple[Signal, ...]:
        del unix_s
        return (Signal(name="cpu_load", value=0.5, unit="ratio"),)


@dataclass
class World:
    """A node and its plane; agents come and go."""

    folder: Path
    plane: PlaneDouble
    client: MemoryClient
    script: Path
    boots: int = 0

    @asynccontextmanager
    async def agent(self) -> AsyncIterator[None]:
        """Run an agent for as long as the context lasts."""
        self.boots += 1
        task = asyncio.create_task(self._agent().run())
        try:
            yield
        finally:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    async def until(self, condition: Callable[[], object]) -> None:
        try:
            async with asyncio.timeout(WAIT_S):
                while not condition():  # noqa: ASYNC110 - it changes in other tasks
                    await asyncio.sleep(0.005)
        except TimeoutError:
            raise AssertionError(self.plane.told()) from None

    async def state(self, command: str) -> str:
        """Wait for the end of a command, and give it."""
        results = self.plane.results
        await self.until(lambda: command in results and results[command].state != "accepted")
        return results[command].state

    def start_member(self, member: str = "node-0", *, fence: int = 1) -> str:
        payload = StartMember(
            place=PLACE, member=member, rank=0, world_size=1, script=str(self.script)
        )
        return self.plane.command("start_member", payload, fence=fence)

    def _agent(self) -> Agent:
        awake = asyncio.Event()
        state = self.folder / "state"
        state.mkdir(exist_ok=True)
        own = StateDirectory(path=state)
        if not own.credential_file.exists():
            key = new_key()
            certificate = AUTHORITY.sign(request_certificate(key, node="n1"))
            keep_credential(own, key_pem=key, certificate_pem=certificate)
        environment = {"HOTSWAP_HOME": str(self.folder), "PYTHONPATH": ":".join(sys.path)}
        jobs = HostedJobs(
            state, node="n1", limits=LIMITS, agent_limits=AGENT_LIMITS, changed=awake.set
        )
        journal = Journal(state, commands_max=100)
        outbox = Outbox(samples_max=AGENT_LIMITS.samples_max)
        quarantine = QuarantineFile(state / "quarantine.json")
        parts = Parts(
            client=self.client,
            renewer=Renewer(own, node="n1", client=self.client, limits=AGENT_LIMITS, chance=0.0),
            jobs=jobs,
            journal=journal,
            outbox=outbox,
            sender=Sender(
                boot=f"boot-{self.boots}",
                jobs=jobs,
                journal=journal,
                outbox=outbox,
                limits=AGENT_LIMITS,
                clock=time.monotonic,
            ),
            execution=Execution(
                jobs,
                quarantine=quarantine,
                environment=environment,
                limits=LIMITS,
                agent_limits=AGENT_LIMITS,
            ),
            quarantine=quarantine,
            collector=OneSignal(),
            inventory=Inventory(hostname="n1"),
            jobs_directory=self.folder / "jobs",
            wanted=state / "wanted",
            addresses=None,
            awake=awake,
        )
        return Agent(parts, report_every_s=0.02, limits=AGENT_LIMITS)


@pytest.fixture
def world(tmp_path: Path) -> World:
    script = tmp_path / "script.py"
    script.write_text("import time\ntime.sleep(600)\n")
    plane = PlaneDouble()
    return World(tmp_path, plane, MemoryClient(plane), script)


async def stopped(world: World) -> None:
    """End what a test has started."""
    assert await world.state(world.plane.command("stop_job", StopJob(grace_s=5.0), fence=99)) == (
        "done"
    )


async def test_the_node_is_reported_again_and_again(world: World) -> None:
    async with world.agent():
        await world.until(lambda: len(world.plane.nodes) >= 3)
    assert world.plane.nodes[0].signals == OneSignal().collect(unix_s=0.0)
    sequences = [report.sequence for report in world.plane.reports]
    assert sequences == list(range(1, len(sequences) + 1))
    assert world.client.closed


async def test_while_the_plane_is_away_the_newest_samples_are_kept_and_the_rest_counted(
    world: World,
) -> None:
    world.client.error = PlaneUnreachable("away")
    async with world.agent():
        await asyncio.sleep(0.5)
        assert world.plane.reports == []
        world.client.error = None
        await world.until(lambda: world.plane.reports and world.plane.reports[-1].dropped)
    dropped = world.plane.reports[-1].dropped
    assert 5 <= dropped <= 25
    # one was under way when the plane went, and stayed under way
    times = [report.sent_at for report in world.plane.reports if report.node is not None]
    assert times == sorted(times)


async def test_a_report_that_is_refused_costs_its_sample_and_nothing_else(world: World) -> None:
    async with world.agent():
        world.client.error = PlaneMessageMalformed("no")
        command = world.plane.command("quarantine", Quarantine(reason="hot"), job=None)
        await asyncio.sleep(0.1)
        world.client.error = None
        assert await world.state(command) == "done"
        await world.until(lambda: world.plane.reports[-1].dropped)


async def test_a_process_is_started_once_and_stopped(world: World) -> None:
    start = world.start_member()
    async with world.agent():
        assert await world.state(start) == "done"
        pid = world.plane.results[start].values["pid"]
        await world.until(lambda: ("job-1", "node-0") in world.plane.members)
        assert world.plane.members["job-1", "node-0"].pid == pid
        world.plane.again(start)
        assert await world.state(start) == "done"
        assert world.plane.results[start].values["pid"] == pid
        stop = world.plane.command("stop_member", StopMember(member="node-0", grace_s=5.0))
        assert await world.state(stop) == "done"
        assert world.plane.results[stop].values["exit_status"] == -signal.SIGTERM
        await world.until(lambda: world.plane.members["job-1", "node-0"].state == "exited")
        await world.until(lambda: world.plane.reports[-1].members == ())


async def test_a_command_that_was_decided_before_a_later_one_is_refused(world: World) -> None:
    async with world.agent():
        assert await world.state(world.start_member(fence=5)) == "done"
        old = world.plane.command("stop_job", StopJob(), fence=4)
        assert await world.state(old) == "refused"
        assert world.plane.results[old].values["code"] == "fenced"
        await stopped(world)


async def test_nothing_new_is_started_in_quarantine_also_after_a_restart(world: World) -> None:
    async with world.agent():
        on = world.plane.command("quarantine", Quarantine(reason="hot"), job=None)
        assert await world.state(on) == "done"
    async with world.agent():
        refused = world.start_member()
        assert await world.state(refused) == "refused"
        assert world.plane.results[refused].values["code"] == "quarantined"
        await world.until(lambda: world.plane.nodes[-1].quarantine == "hot")
        off = world.plane.command("quarantine", Quarantine(on=False), job=None)
        assert await world.state(off) == "done"
        assert await world.state(world.start_member("node-1")) == "done"
        await stopped(world)


@pytest.mark.parametrize(
    ("kind", "payload", "state", "code"),
    [
        ("stop_member", StopMember(member="node-9"), "refused", "unknown_member"),
        ("swap", Swap(rank=0, swap="s1"), "failed", "job_unknown"),
        ("attach", Attach(place=JobPlace(name="nothing")), "failed", "job_unknown"),
        (
            "start_member",
            StartMember(place=PLACE, member="node-0", world_size=1, script="/nothing.py"),
            "refused",
            "script_missing",
        ),
        (
            "start_member",
            StartMember(
                place=JobPlace(name="../x"), member="node-0", world_size=1, script=__file__
            ),
            "failed",
            "job_name_invalid",
        ),
    ],
)
async def test_what_can_not_be_done_says_why(
    world: World, kind: str, payload: StopMember, state: str, code: str
) -> None:
    command = world.plane.command(kind, payload)
    async with world.agent():
        assert await world.state(command) == state
    assert world.plane.results[command].values["code"] == code
    assert world.plane.results[command].detail


async def test_a_swap_without_a_leader_fails_after_a_while(world: World) -> None:
    async with world.agent():
        assert await world.state(world.start_member()) == "done"
        swap = world.plane.command("swap", Swap(rank=0, swap="s1"))
        assert await world.state(swap) == "failed"
        assert world.plane.results[swap].values["code"] == "coordinator_unreachable"
        await stopped(world)


async def test_processes_go_on_without_an_agent_and_are_stopped_by_the_next_one(
    world: World,
) -> None:
    start = world.start_member()
    async with world.agent():
        assert await world.state(start) == "done"
        await world.until(lambda: world.plane.members)
    before = world.plane.members["job-1", "node-0"]
    async with world.agent():
        await world.until(lambda: world.plane.reports[-1].boot == "boot-2")
        assert world.plane.members["job-1", "node-0"] == before
        await stopped(world)


async def test_a_job_of_hotswap_run_is_found_attached_and_told_from_its_first_event(
    world: World,
) -> None:
    claimed = claim(jobs=world.folder / "jobs", name="mine", stem="mine")
    directory = claimed.directory
    write_description(
        directory,
        JobDescription(
            job="mine",
            ranks=2,
            standbys=1,
            coordinators=1,
            script="/mine.py",
            arguments=(),
            pid=17,
            started_unix_s=1e9,
            logs="/logs",
        ),
    )
    append(directory.path, 0, 1)
    async with world.agent():
        await world.until(lambda: world.plane.reports and world.plane.reports[-1].attachable)
        (found,) = world.plane.reports[-1].attachable or ()
        assert (found.name, found.directory) == ("mine", str(directory.path))
        attach = world.plane.command(
            "attach", Attach(place=JobPlace(name="mine", directory=found.directory)), job="job-7"
        )
        assert await world.state(attach) == "done"
        await world.until(lambda: len(world.plane.notices) == 2)
        await world.until(lambda: world.plane.reports[-1].attachable == ())
        append(directory.path, 2)
        await world.until(lambda: len(world.plane.notices) == 3)
    append(directory.path, 3)
    (directory.certificates / "swap-x.json").write_text('{"swap_id": "x", "rank": 1}')
    world.client.error = PlaneUnreachable("away")
    async with world.agent():
        await asyncio.sleep(0.1)
        world.client.error = None
        await world.until(lambda: world.plane.certificates)
        await world.until(lambda: len(world.plane.notices) == 4)
    claimed.release()
    assert {job for job, _, _ in world.plane.notices} == {"job-7"}
    assert sorted(offset for _, _, offset in world.plane.notices) == [0, 1, 2, 3]
    assert world.plane.certificates == {"x": {"swap_id": "x", "rank": 1}}
    sent = [notice.offset for job in world.plane.jobs for notice in job.notices]
    assert len(sent) == len(set(sent)), "something was told twice"


async def test_the_last_events_of_a_job_are_told_however_late_the_plane_comes_back(
    world: World,
) -> None:
    claimed = claim(jobs=world.folder / "jobs", name="mine", stem="mine")
    directory = claimed.directory
    async with world.agent():
        place = JobPlace(name="mine", directory=str(directory.path))
        attach = world.plane.command("attach", Attach(place=place))
        assert await world.state(attach) == "done"
        world.client.error = PlaneUnreachable("away")
        append(directory.path, 0, 1)
        claimed.release()
        # longer than a job of which nothing runs is looked after
        await asyncio.sleep(AGENT_LIMITS.retire_s * 3)
        world.client.error = None
        await world.until(lambda: len(world.plane.notices) == 2)
        record = world.folder / "state" / "jobs" / "job-1.json"
        await world.until(lambda: '"retired": true' in record.read_text())


async def test_what_nobody_has_foreseen_ends_the_agent_and_says_so(world: World) -> None:
    class Broken(MemoryClient):
        async def report(self, *_: object, **__: object) -> None:  # type: ignore[override] # broken
            raise ZeroDivisionError

    world.client = Broken(world.plane)
    with pytest.raises(ExceptionGroup) as caught:
        await world._agent().run()
    assert caught.group_contains(ZeroDivisionError)
    assert world.client.closed

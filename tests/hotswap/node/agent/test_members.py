"""Real processes: started, found again after a restart, and ended with all that they started."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from dev.stack.waiting import wait_until
from hotswap.errors import CommandRefused, JobError
from hotswap.node.agent.member_record import MemberRecord
from hotswap.node.agent.members import Launch, Members
from hotswap.node.agent.processes import TAG, adopt, find_leader, spawn, started_at_ticks, tagged

WAIT_S = 20.0
SLEEP = "import time; time.sleep(600)"
STUBBORN = (
    "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"
)
PARENT = (
    "import subprocess, sys, time; "
    f"subprocess.Popen([sys.executable, '-c', {SLEEP!r}]); print(1, flush=True); time.sleep(600)"
)


@dataclass
class World:
    """What survives an agent, and the agent's part that is tested."""

    folder: Path
    members: Members
    ended: list[MemberRecord] = field(default_factory=list)

    def launch(self, member: str, code: str, *, command: str = "c1") -> Launch:
        return Launch(
            job="j1",
            member=member,
            role="rank",
            command_id=command,
            command=(sys.executable, "-c", code),
            environment=dict(os.environ),
            logs=self.folder,
        )

    def restart(self) -> None:
        """Have another agent take over, as after a kill -9."""
        self.members.close()
        self.members = Members(self.folder, ended_max=100, on_end=self.ended.append)
        self.members.adopt()

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(WAIT_S):
            while not condition():  # noqa: ASYNC110 - what is waited for is in another process
                await asyncio.sleep(0.005)

    def printed(self, member: str) -> bool:
        return (self.folder / f"{member}.stdout.log").read_text() == "1\n"

    def living(self) -> list[int]:
        """Give the processes that carry a tag of this test."""
        tags = [record.tag for record in self.members.of("j1")]
        return [pid for tag in tags for pid in tagged(tag)]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    ended: list[MemberRecord] = []
    members = Members(tmp_path, ended_max=100, on_end=ended.append)
    world = World(tmp_path, members, ended)
    try:
        yield world
    finally:
        for pid in world.living():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await world.until(lambda: not world.members.jobs())
        world.members.close()


async def test_a_process_is_started_and_its_end_is_told_with_its_status(world: World) -> None:
    record = world.members.start(world.launch("node-0", "raise SystemExit(3)"))
    assert record.state == "running"
    await world.until(lambda: world.ended)
    (ended,) = world.ended
    assert (ended.state, ended.exit_status, ended.pid) == ("exited", 3, record.pid)
    (report,) = world.members.reports()
    assert (report.state, report.exit_status) == ("exited", 3)
    world.members.tell([report])
    assert world.members.reports() == ()


async def test_a_killed_process_has_the_negative_signal_as_its_status(world: World) -> None:
    record = world.members.start(world.launch("node-0", SLEEP))
    assert record.pid is not None
    os.kill(record.pid, signal.SIGKILL)
    await world.until(lambda: world.ended)
    assert world.ended[0].exit_status == -9


async def test_the_same_command_starts_one_process(world: World) -> None:
    first = world.members.start(world.launch("node-0", SLEEP))
    assert world.members.start(world.launch("node-0", SLEEP)) == first
    with pytest.raises(CommandRefused, match="was started here before"):
        world.members.start(world.launch("node-0", SLEEP, command="c2"))
    assert len(world.living()) == 1


async def test_a_process_leads_its_own_session(world: World) -> None:
    record = world.members.start(world.launch("node-0", SLEEP))
    assert record.pid is not None
    assert os.getsid(record.pid) == record.pid != os.getsid(0)


async def test_a_process_is_asked_to_end_and_killed_when_it_does_not(world: World) -> None:
    world.members.start(world.launch("node-0", SLEEP))
    world.members.start(world.launch("node-1", STUBBORN))
    await world.until(lambda: world.printed("node-1"))
    await world.members.stop("j1", ["node-0", "node-1"], grace_s=0.3)
    status = {record.member: record.exit_status for record in world.ended}
    assert status == {"node-0": -15, "node-1": -9}


async def test_what_a_process_has_started_ends_with_it(world: World) -> None:
    record = world.members.start(world.launch("node-0", PARENT))
    await world.until(lambda: len(world.living()) == 2)
    assert record.pid is not None
    os.kill(record.pid, signal.SIGKILL)
    await world.until(lambda: not world.living())


async def test_after_a_restart_a_process_is_found_by_pid_and_start(world: World) -> None:
    before = world.members.start(world.launch("node-0", SLEEP))
    world.restart()
    assert world.members.get("j1", "node-0") == before
    await world.members.stop("j1", ["node-0"], grace_s=WAIT_S)
    assert not world.living()


async def test_one_that_ended_while_no_agent_looked_is_gone(world: World) -> None:
    record = world.members.start(world.launch("node-0", "print(1)"))
    world.members.close()
    assert record.pid is not None
    await asyncio.to_thread(os.waitpid, record.pid, 0)
    world.restart()
    (ended,) = world.ended
    assert (ended.state, ended.exit_status) == ("gone", None)


async def test_a_pid_that_belongs_to_somebody_else_now_is_not_taken(world: World) -> None:
    record = world.members.start(world.launch("node-0", SLEEP))
    assert record.pid is not None
    assert record.start_ticks is not None
    assert adopt(pid=record.pid, start_ticks=record.start_ticks - 1) is None
    found = adopt(pid=record.pid, start_ticks=record.start_ticks)
    assert found is not None
    found.release()


async def test_one_whose_pid_could_not_be_noted_any_more_is_found_by_its_tag(
    world: World, tmp_path: Path
) -> None:
    record = world.members.start(world.launch("node-0", SLEEP))
    world.members.close()
    half = msgspec.structs.replace(record, pid=None, start_ticks=None, state="starting")
    (tmp_path / "members" / f"{record.key}.json").write_bytes(msgspec.json.encode(half))
    world.restart()
    assert world.members.get("j1", "node-0") == record


async def test_one_that_was_noted_and_never_started_is_started_by_its_command(
    world: World, tmp_path: Path
) -> None:
    record = world.members.start(world.launch("node-0", "print(1)"))
    await world.until(lambda: world.ended)
    half = msgspec.structs.replace(record, pid=None, start_ticks=None, state="starting")
    (tmp_path / "members" / f"{record.key}.json").write_bytes(msgspec.json.encode(half))
    world.restart()
    assert world.members.get("j1", "node-0") is None
    again = world.members.start(world.launch("node-0", SLEEP))
    assert again.state == "running"


async def test_a_program_that_is_not_there_leaves_no_trace(world: World) -> None:
    launch = Launch(
        job="j1",
        member="node-0",
        role="rank",
        command_id="c1",
        command=("/nonexistent/python",),
        environment={},
        logs=world.folder,
    )
    with pytest.raises(JobError, match="cannot start node-0"):
        world.members.start(launch)
    assert world.members.of("j1") == ()


def test_a_tag_leads_to_the_process_that_was_started_with_it(tmp_path: Path) -> None:
    process = spawn(
        name="x",
        command=(sys.executable, "-c", SLEEP),
        environment=dict(os.environ),
        tag="a tag of this test",
        logs=tmp_path,
    )
    try:
        # its environment can be read a moment after it was started
        found = wait_until(lambda: find_leader("a tag of this test"), "its tag", wait_s=WAIT_S)
        assert found == process.pid
        assert find_leader("another tag") is None
        environment = Path(f"/proc/{process.pid}/environ").read_bytes()
        assert f"{TAG}=a tag of this test".encode() in environment
        assert started_at_ticks(process.pid) == process.start_ticks
        assert started_at_ticks(2**22 + 1) is None
    finally:
        process.signal(signal.SIGKILL)
        assert process.collect() == -9

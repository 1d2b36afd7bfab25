"""A real agent, a plane behind TLS, a real coordinator and trainers without tensors."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hotswap.wire.plane import StopJob, Swap
from tests.hotswap.node.agent.agent_under_test import AgentUnderTest
from tests.hotswap.node.agent.https_plane import HttpsPlane

pytestmark = pytest.mark.slow_processes


@pytest.fixture
def plane(tmp_path: Path) -> Iterator[HttpsPlane]:
    with HttpsPlane(tmp_path) as serving:
        yield serving


@pytest.fixture
def agent(tmp_path: Path, plane: HttpsPlane) -> Iterator[AgentUnderTest]:
    agent = AgentUnderTest(tmp_path, plane)
    try:
        yield agent
    finally:
        print(agent.log.read_text())
        for log in sorted((agent.job / "logs").glob("*")):
            print(log.name, log.read_text()[-3000:])
        agent.end()


def test_the_plane_starts_a_job_swaps_a_rank_and_stops_the_job(
    agent: AgentUnderTest, plane: HttpsPlane
) -> None:
    agent.start()
    told = plane.plane
    started = agent.start_job(ranks=2, standbys=1)
    for command in started:
        result = told.result(command)
        assert result.state == "done", result
    assert told.members["job-1", "node-0"].pid == told.results[started[1]].values["pid"]
    agent.control(steps=1_000_000)
    told.wait_for(lambda: told.heard("mirror_complete", rank=1), "a mirror of rank 1")
    swap = told.result(told.command("swap", Swap(rank=1, reason="fan", swap="s1"), fence=2))
    assert swap.state == "done", swap
    assert swap.values["target"] == "standby-2"
    told.wait_for(lambda: told.heard("swap_completed", rank=1, member="standby-2"), "the end")
    told.wait_for(lambda: swap.values["swap"] in told.certificates, "the certificate")
    assert told.certificates[str(swap.values["swap"])]["to_member"] == "standby-2"
    statuses = [job.status for job in told.jobs if job.status is not None]
    assert statuses[-1].world_size == 2
    stopped = told.result(told.command("stop_job", StopJob(grace_s=5.0), fence=3))
    assert stopped.state == "done", stopped
    told.wait_for(
        lambda: all(member.state == "exited" for member in told.members.values()), "all ends"
    )
    assert agent.processes() == []


def test_training_does_not_notice_that_the_agent_was_killed(
    agent: AgentUnderTest, plane: HttpsPlane
) -> None:
    agent.start()
    told = plane.plane
    for command in agent.start_job(ranks=2, standbys=1):
        assert told.result(command).state == "done"
    agent.control(steps=20)
    told.wait_for(lambda: told.heard("mirror_complete", rank=1), "a mirror of rank 1")
    before = {name: member.pid for name, member in told.members.items()}
    agent.kill()
    agent.control(steps=200)
    agent.start()
    told.wait_for(lambda: told.heard("committed", step=199), "all steps")
    assert {name: member.pid for name, member in told.members.items()} == before
    assert not told.heard("member_lost")
    assert len(plane.enrolments) == 1
    # one that it took up again and that is killed is told, though nobody knows how it ended
    lost = told.members["job-1", "node-0"].pid
    assert lost is not None
    os.kill(lost, signal.SIGKILL)
    told.wait_for(lambda: told.members["job-1", "node-0"].state == "gone", "the end of node-0")
    agent.control(steps=250)
    told.wait_for(lambda: told.heard("unplanned_completed", rank=0), "the take-over")
    told.wait_for(lambda: told.heard("committed", step=249), "all steps")
    offsets = sorted(offset for _, _, offset in told.notices)
    assert offsets == list(range(len(offsets)))

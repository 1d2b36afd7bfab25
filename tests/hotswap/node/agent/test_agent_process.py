"""A real agent, a plane behind TLS, a real coordinator and trainers without tensors."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.stack.waiting import wait_until
from hotswap.node.exit_codes import ExitCode
from hotswap.wire.plane import Attach, JobPlace, StopJob, Swap
from tests.hotswap.node.agent.agent_under_test import AgentUnderTest
from tests.hotswap.node.agent.https_plane import HttpsPlane
from tests.hotswap.node.job_under_test import JobUnderTest

WAIT_S = 30.0

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


def test_after_the_end_of_a_job_nothing_of_it_is_left(
    agent: AgentUnderTest, plane: HttpsPlane
) -> None:
    agent.settings = {"HOTSWAP_FINISH_GRACE_S": "3"}
    agent.start()
    told = plane.plane
    for command in agent.start_job(ranks=2, standbys=1):
        assert told.result(command).state == "done"
    agent.control(steps=10, finish=True)
    told.wait_for(lambda: told.heard("finished"), "the end of the job")
    told.wait_for(
        lambda: {member.state for member in told.members.values()} == {"exited"}, "all ends"
    )
    assert told.members["job-1", "node-0"].exit_status == 0
    assert told.members["job-1", "coordinator-0"].exit_status == 0
    assert agent.processes() == []


def test_a_job_of_hotswap_run_is_shown_and_can_be_stopped_from_the_plane(
    agent: AgentUnderTest, plane: HttpsPlane
) -> None:
    agent.start()
    told = plane.plane
    told.wait_for(lambda: told.nodes, "the node")
    options = ("--ranks", "1", "--standbys", "1", "--agent", str(agent.state))
    with JobUnderTest(agent.home, *options) as run:
        told.wait_for(lambda: told.reports[-1].attachable, "the job")
        run.control(steps=5)
        (found,) = told.reports[-1].attachable or ()
        assert (found.name, found.world_size, found.wanted) == ("test", 1, True)
        place = JobPlace(name=found.name, directory=found.directory)
        assert told.result(told.command("attach", Attach(place=place))).state == "done"
        told.wait_for(lambda: told.heard("committed", step=4), "its steps")
        told.wait_for(lambda: any(job.status for job in told.jobs), "how it stands")
        stopped = told.result(told.command("stop_job", StopJob(grace_s=20.0)))
        assert stopped.state == "done", stopped
        code, _ = run.end()
        assert code == ExitCode.TERMINATED


def test_the_plane_is_told_afterwards_what_happened_while_it_was_away(
    agent: AgentUnderTest, plane: HttpsPlane
) -> None:
    agent.start()
    told = plane.plane
    for command in agent.start_job(ranks=1, standbys=1):
        assert told.result(command).state == "done"
    agent.control(steps=10)
    told.wait_for(lambda: told.heard("committed", step=9), "ten steps")
    plane.stop()
    agent.control(steps=100)
    wait_until(lambda: committed(agent) == 99, "training to go on", wait_s=WAIT_S)
    plane.start()
    told.wait_for(lambda: told.heard("committed", step=99), "what was missed")
    offsets = sorted(offset for _, _, offset in told.notices)
    assert offsets == list(range(len(offsets)))
    assert told.result(told.command("stop_job", StopJob(), fence=2)).state == "done"


def committed(agent: AgentUnderTest) -> int:
    """Give the last step in the job's own events."""
    lines = (agent.job / "events.jsonl").read_bytes().splitlines()
    events = [json.loads(line) for line in lines]
    return max(event["step"] for event in events if event["kind"] == "committed")


def test_the_worsening_is_begun_and_ended_by_signals(tmp_path: Path, plane: HttpsPlane) -> None:
    scenario = tmp_path / "scenario.json"
    scenario.write_text(
        '{"signals": [{"name": "fan", "unit": "rpm", "normal": 5, "curve": [[0, 1]]}]}'
    )
    agent = AgentUnderTest(tmp_path, plane, "--simulate", str(scenario))

    def fan() -> float | None:
        (signal,) = [each for each in plane.plane.nodes[-1].signals if each.name == "fan"]
        assert signal.source == "simulated"
        return signal.value

    try:
        agent.start()
        plane.plane.wait_for(lambda: plane.plane.nodes and fan() == 5, "the normal value")
        agent.signal(signal.SIGUSR1)
        plane.plane.wait_for(lambda: fan() == 1, "the worsening")
        agent.signal(signal.SIGUSR2)
        plane.plane.wait_for(lambda: fan() == 5, "its end")
        assert agent.terminate() == 0
    finally:
        agent.end()


def test_without_what_an_enrolment_takes_the_command_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hotswap.cli", "agent", "--state", str(tmp_path / "state")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
    )
    assert done.returncode == ExitCode.REFUSED
    assert "give --plane, --token and --name once" in done.stderr

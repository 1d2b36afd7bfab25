"""When the rank is killed, and when a run is over."""

import signal
import sys
from pathlib import Path

import pytest

from benchmarks.peers.drive import drive, find_victim, has_left_others_behind, is_done
from benchmarks.peers.processes import Job
from benchmarks.peers.run import FULL, QUICK, plan_kill
from benchmarks.peers.system import Case, Kill
from tests.benchmarks.peers.runs import STEP_NS, attempt, ends, steady

PLAN = Kill(rank=1, step=5, delay_s=0.0)


def test_there_is_no_victim_before_the_step() -> None:
    assert find_victim([*steady(1, 4)], PLAN) is None
    assert find_victim([], PLAN) is None


def test_the_victim_is_who_holds_the_rank_then() -> None:
    assert find_victim([*steady(1, 5)], PLAN) == 11
    moved = [*steady(1, 4), *attempt(5, at_ns=5 * STEP_NS, pids=(10, 99))]
    assert find_victim(moved, PLAN) == 99


def test_a_run_is_done_when_every_rank_is() -> None:
    assert not is_done([*ends(STEP_NS, pids=(10,))])
    assert is_done([*ends(STEP_NS)])


def test_a_run_that_one_process_has_finished_waits_for_the_others_for_a_while() -> None:
    alone = [*ends(STEP_NS, pids=(10,))]
    assert not has_left_others_behind(alone, now_ns=2 * STEP_NS)
    assert has_left_others_behind(alone, now_ns=100 * STEP_NS)
    assert not has_left_others_behind([*steady(1, 3)], now_ns=100 * STEP_NS)


@pytest.mark.parametrize("extent", [FULL, QUICK])
def test_a_kill_is_drawn_within_its_bounds_and_can_be_repeated(extent: object) -> None:
    assert extent in (FULL, QUICK)
    bounds = FULL if extent is FULL else QUICK
    kills = [plan_kill(seed=3, repeat=repeat, extent=bounds) for repeat in range(50)]
    assert kills == [plan_kill(seed=3, repeat=repeat, extent=bounds) for repeat in range(50)]
    assert {kill.rank for kill in kills} == {0, 1}
    assert len({kill.delay_s for kill in kills}) == 50
    first, last = bounds.kill_steps
    assert all(first <= kill.step <= last < bounds.steps for kill in kills)


# stands for a rank: writes what a probe would, then waits to be killed or ends
RANK = """
import sys, time
from benchmarks.peers.probe import Probe, steps_wanted
rank = int(sys.argv[1])
with Probe(slot=rank) as probe:
    for step in range(1, steps_wanted() + 1):
        probe.committed(step=step, rank=rank, ranks=2)
    if sys.argv[2] == "wait":
        time.sleep(60)
    probe.finished(digest="d")
"""


def case(directory: Path, *, kill: Kill | None) -> Case:
    return Case(directory=directory / "case", steps=6, kill=kill, limit_s=30)


def test_a_run_ends_when_its_ranks_have_ended(tmp_path: Path) -> None:
    with Job(case(tmp_path, kill=None)) as job:
        for rank in range(2):
            job.launch(f"rank{rank}", [sys.executable, "-c", RANK, str(rank), "end"])
        outcome = drive(job)
    assert outcome.finished
    assert outcome.kill_ns is None
    assert outcome.reason == ""


def test_the_planned_rank_is_killed_and_nothing_is_left_behind(tmp_path: Path) -> None:
    with Job(case(tmp_path, kill=PLAN)) as job:
        job.launch("rank0", [sys.executable, "-c", RANK, "0", "end"])
        job.launch("rank1", [sys.executable, "-c", RANK, "1", "wait"])
        outcome = drive(job)
        codes = job.exit_codes()
    assert outcome.kill_ns is not None
    assert not outcome.finished
    assert codes["rank1"] == -signal.SIGKILL
    assert job.members() == []


def test_a_rank_that_fails_is_started_again_as_often_as_it_may_be(tmp_path: Path) -> None:
    with Job(case(tmp_path, kill=None)) as job:
        job.launch(
            "rank0",
            [sys.executable, "-c", "print('once'); raise SystemError('no luck')"],
            restarts=2,
        )
        outcome = drive(job)
    assert not outcome.finished
    assert (job.case.directory / "rank0.log").read_text().count("once") == 3
    assert "no luck" in outcome.reason


def test_a_process_that_hides_in_another_session_is_ended_too(tmp_path: Path) -> None:
    """As the workers of some launchers do, whose launcher is then killed."""
    hidden = (
        "import subprocess, sys; "
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'],"
        " start_new_session=True)"
    )
    with Job(case(tmp_path, kill=None)) as job:
        job.launch("launcher", [sys.executable, "-c", hidden])
        assert not drive(job).finished
        assert len(job.members()) == 1
    assert job.members() == []

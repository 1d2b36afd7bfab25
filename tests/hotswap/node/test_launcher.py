"""Whole runs of a script without tensors: real processes, real coordinators, real signals."""

import time
from pathlib import Path

import msgspec
import pytest

from hotswap.node.exit_codes import ExitCode
from hotswap.node.run_record import JobResult
from tests.hotswap.node.job_under_test import JobUnderTest

pytestmark = pytest.mark.slow_processes


def result(job: JobUnderTest) -> JobResult:
    return msgspec.json.decode((job.directory / "result.json").read_bytes(), type=JobResult)


def start(home: Path, *options: str, **settings: str) -> JobUnderTest:
    """Start a job and wait until every rank is in its first epoch."""
    job = JobUnderTest(home, *options, **settings)
    job.wait_for("epoch_started")
    return job


def test_a_job_runs_to_its_end_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with start(tmp_path, "--ranks", "2", "--standbys", "1") as job:
        job.control(steps=3)
        job.wait_for("committed", step=2)
        job.control(steps=3, finish=True)
        code, error = job.end()
        assert (code, error) == (ExitCode.DONE, ""), job.told()
        assert job.processes() == 0
    assert result(job).state == "finished"
    assert result(job).committed == 3
    assert job.events[0]["kind"] == "started"
    assert job.events[-1]["kind"] == "ended"


def test_the_death_of_a_rank_is_known_at_once_and_a_standby_takes_over(tmp_path: Path) -> None:
    with start(tmp_path, "--ranks", "1", "--standbys", "1") as job:
        job.wait_for("mirror_complete", rank=0)
        job.control(steps=3)
        job.wait_for("committed", step=2)
        killed_s = time.time()
        job.kill("node-0")
        lost = job.wait_for("member_lost", member="node-0")
        assert lost["at_unix_s"] - killed_s < 1.0, "generous: a busy machine must not fail this"
        taken = job.wait_for("unplanned_completed", rank=0)
        assert taken["member"] == "standby-0"
        job.wait_for("process_started", member="standby-1")
        job.wait_for("member_joined", member="standby-1")
        job.control(steps=5)
        job.wait_for("committed", step=4)
        job.control(steps=5, finish=True)
        assert job.end()[0] == ExitCode.DONE, job.told()
    assert result(job).committed == 5

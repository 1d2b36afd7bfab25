"""Whole runs of a script without tensors: real processes, real coordinators, real signals."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from hotswap.node.exit_codes import ExitCode
from hotswap.node.run_record import JobResult
from tests.hotswap.node.job_under_test import FAKE_TRAINER, WAIT_S, JobUnderTest

pytestmark = pytest.mark.slow_processes


def result(job: JobUnderTest) -> JobResult:
    return msgspec.json.decode((job.directory / "result.json").read_bytes(), type=JobResult)


def start(home: Path, *options: str, settings: Mapping[str, str] | None = None) -> JobUnderTest:
    """Start a job and wait until every rank is in its first epoch."""
    job = JobUnderTest(home, *options, settings=settings)
    job.wait_for("epoch_started")
    return job


def finish(job: JobUnderTest, *, steps: int) -> None:
    job.control(steps=steps, finish=True)
    code, error = job.end()
    assert (code, error) == (ExitCode.DONE, ""), job.told()


def until_alone(job: JobUnderTest) -> None:
    """Wait until no process of the run is left."""
    deadline_s = time.monotonic() + WAIT_S
    while job.processes():
        assert time.monotonic() < deadline_s, "processes are left behind"
        time.sleep(0.01)


def hotswap(home: Path, *line: str) -> subprocess.CompletedProcess[str]:
    """Run a command beside the job."""
    return subprocess.run(
        [sys.executable, "-m", "hotswap.cli", *line],
        env=os.environ | {"HOTSWAP_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
    )


# ---------------------------------------------------------------------------------- good endings


def test_a_job_runs_to_its_end_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with start(tmp_path, "--ranks", "2", "--standbys", "1") as job:
        job.wait_for("mirror_complete", rank=1)
        job.control(steps=3)
        job.wait_for("committed", step=2)
        finish(job, steps=3)
        assert job.processes() == 0
    assert (result(job).state, result(job).committed) == ("finished", 3)
    assert [job.events[0]["kind"], job.events[-1]["kind"]] == ["started", "ended"]
    assert {"elected", "member_joined", "mirror_complete"} <= {each["kind"] for each in job.events}
    key = (job.directory / "job.key").read_text()
    outputs = [path.read_text() for path in (job.directory / "logs").iterdir()]
    assert len(outputs) == 2 * (2 + 1 + 2)
    assert not any(key in text for text in (*outputs, job.told()))


def test_the_death_of_a_rank_is_known_at_once_and_its_place_is_filled(tmp_path: Path) -> None:
    with start(tmp_path, "--ranks", "1", "--standbys", "1") as job:
        job.wait_for("mirror_complete", rank=0)
        job.control(steps=3)
        job.wait_for("committed", step=2)
        killed_s = time.monotonic()
        job.kill("node-0")
        lost = job.wait_for("member_lost", member="node-0")
        latency_s = lost["at_monotonic_s"] - killed_s
        assert 0.0 < latency_s < 1.0, "generous: a busy machine must not fail this"
        assert job.wait_for("unplanned_completed", rank=0)["member"] == "standby-0"
        job.wait_for("process_started", member="standby-1")
        job.wait_for("member_joined", member="standby-1")
        job.control(steps=5)
        job.wait_for("committed", step=4)
        finish(job, steps=5)
    assert result(job).committed == 5


def test_a_planned_swap_is_asked_for_from_another_terminal(tmp_path: Path) -> None:
    with start(tmp_path, "--ranks", "1", "--standbys", "1") as job:
        job.wait_for("mirror_complete", rank=0)
        job.control(steps=100_000)
        asked = hotswap(tmp_path, "swap", "--job", "test", "--rank", "0", "--reason", "fan 3")
        assert asked.returncode == ExitCode.DONE, asked.stdout + asked.stderr
        lines = asked.stdout.splitlines()
        assert lines[0].endswith("accepted: rank 0 moves to standby-0")
        assert lines[-1].startswith("  rank 0 changed hands to standby-0 at step ")
        assert "fan 3" in lines[-1]
        job.wait_for("process_exited", member="node-0", text="node-0 ended")
        job.wait_for("member_joined", member="standby-1")
        status = hotswap(tmp_path, "status", "--job", "test", "--json")
        assert msgspec.json.decode(status.stdout)["ranks"][0]["member"] == "standby-0"
        finish(job, steps=0)
    shown = hotswap(tmp_path, "certificate", "--job", "test")
    assert "node-0 → standby-0 · planned" in shown.stdout
    assert "  ok       same state before and after: blake3 abab" in shown.stdout


REFUSALS = {
    "swap --rank 7": "there is no rank 7: name one of 0 to 0 (unknown_rank)",
    "swap --rank 0 --to node-9": "node-9 is no standby: name one, or leave the choice",
    "swap --rank 0": "no standby lives: start one, then ask again (no_standby)",
    "abort --swap 0009": "no swap 0009 is under way (unknown_swap)",
    "prepare --rank 0": "can't prepare rank 0: name a standby and a rank (unknown_standby)",
}


def test_a_request_that_cannot_be_met_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with start(tmp_path, "--ranks", "1", "--standbys", "0") as job:
        for line, complaint in REFUSALS.items():
            refused = hotswap(tmp_path, *line.split(), "--job", "test")
            assert refused.returncode == ExitCode.REFUSED, refused.stdout
            assert refused.stderr.startswith("hotswap: ")
            assert complaint in refused.stderr
        finish(job, steps=0)


def test_a_name_in_use_is_refused_and_the_run_that_has_it_goes_on(tmp_path: Path) -> None:
    with start(tmp_path, "--ranks", "1", "--standbys", "0") as job:
        second = hotswap(tmp_path, "run", "--ranks", "1", "--job", "test", str(FAKE_TRAINER))
        assert second.returncode == ExitCode.REFUSED
        assert "job test is running" in second.stderr
        finish(job, steps=2)


def test_the_death_of_the_leader_costs_the_job_nothing(tmp_path: Path) -> None:
    with start(tmp_path, "--ranks", "1", "--standbys", "1") as job:
        leader = job.wait_for("elected")["member"]
        seen = len(job.events)
        job.kill(leader)
        elected = job.wait_for("elected", after=seen)
        assert elected["member"] != leader
        assert elected["values"]["election_ms"] < 10_000
        job.control(steps=100_000)
        job.wait_for("committed", after=job.events.index(elected))
        job.wait_for("process_started", member="coordinator-2")
        assert hotswap(tmp_path, "status", "--job", "test").returncode == ExitCode.DONE
        finish(job, steps=0)


def test_a_frozen_rank_is_replaced_and_then_killed(tmp_path: Path) -> None:
    settings = {"HOTSWAP_FENCED_EXIT_S": "1", "HOTSWAP_LEASE_S": "1"}
    with start(tmp_path, "--ranks", "1", "--standbys", "1", settings=settings) as job:
        job.wait_for("mirror_complete", rank=0)
        job.kill("node-0", signal.SIGSTOP)
        job.wait_for("member_lost", member="node-0")
        job.wait_for("unplanned_completed", rank=0, member="standby-0")
        job.wait_for("process_killed", member="node-0")
        job.wait_for("process_exited", member="node-0", text="node-0 was killed by signal 9")
        finish(job, steps=1)


# ----------------------------------------------------------------------------------- bad endings


def test_a_script_that_fails_shows_the_end_of_its_log(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import sys\nprint('about to fail', file=sys.stderr)\nraise ValueError('x=3')\n"
    )
    with JobUnderTest(tmp_path, "--ranks", "2", "--standbys", "0", script=script) as job:
        code, _ = job.end()
    assert code == ExitCode.FAILED
    tail = job.wait_for("log_tail")
    assert "about to fail" in tail["text"]
    assert tail["text"].endswith("ValueError: x=3")
    assert tail["member"] in ("node-0", "node-1")
    assert result(job).state == "failed"


@pytest.mark.parametrize(
    ("code", "kind", "complaint"),
    [
        ("print('done')", "log_tail", "hotswap: not_joined: "),
        ("raise SystemExit(0)", "ended", "node-0 ended without having called hotswap.join()"),
    ],
)
def test_a_script_that_ends_without_joining_is_told_what_to_call(
    tmp_path: Path, code: str, kind: str, complaint: str
) -> None:
    script = tmp_path / "train.py"
    script.write_text(f"{code}\n")
    with JobUnderTest(tmp_path, "--ranks", "1", "--standbys", "1", script=script) as job:
        assert job.end()[0] == ExitCode.FAILED
    told = job.wait_for(kind)["text"]
    assert complaint in told
    assert "hotswap.join()" in told


def test_a_script_that_does_not_join_in_time_is_ended(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import time\ntime.sleep(600)\n")
    settings = {"HOTSWAP_JOIN_S": "1.5"}
    options = ("--ranks", "1", "--standbys", "0")
    with JobUnderTest(tmp_path, *options, script=script, settings=settings) as job:
        assert job.end()[0] == ExitCode.FAILED
        assert job.processes() == 0
    assert "node-0 did not call hotswap.join() within 1.5 s" in job.events[-1]["text"]


def test_processes_that_fail_at_every_start_are_not_started_for_ever(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import os, runpy\n"
        "if os.environ['HOTSWAP_MEMBER'].startswith('standby'):\n"
        "    raise SystemExit('no device left')\n"
        f"runpy.run_path({str(FAKE_TRAINER)!r}, run_name='__main__')\n"
    )
    settings = {"HOTSWAP_STOP_LOSS_EXITS": "2", "HOTSWAP_RESPAWN_DELAY_S": "0"}
    options = ("--ranks", "1", "--standbys", "1")
    with JobUnderTest(tmp_path, *options, script=script, settings=settings) as job:
        stopped = job.wait_for("respawn_stopped")
        assert "2 trainer processes in a row failed within 10 s" in stopped["text"]
        finish(job, steps=2)
    started = {each["member"] for each in job.events if each["kind"] == "process_started"}
    assert {name for name in started if name.startswith("standby")} == {"standby-0", "standby-1"}


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, ExitCode.INTERRUPTED),
        (signal.SIGTERM, ExitCode.TERMINATED),
        (signal.SIGHUP, ExitCode.TERMINATED),
    ],
)
def test_a_signal_ends_the_run_in_order(
    tmp_path: Path, number: signal.Signals, code: ExitCode
) -> None:
    with start(tmp_path, "--ranks", "2", "--standbys", "1") as job:
        job.process.send_signal(number)
        assert job.end()[0] == code
        assert job.processes() == 0
    assert (result(job).state, result(job).exit_code) == ("stopped", code)


def test_a_second_signal_does_not_wait_for_anybody(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import signal, runpy\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"runpy.run_path({str(FAKE_TRAINER)!r}, run_name='__main__')\n"
    )
    settings = {"HOTSWAP_STOP_GRACE_S": "600"}
    options = ("--ranks", "1", "--standbys", "0")
    with JobUnderTest(tmp_path, *options, script=script, settings=settings) as job:
        job.wait_for("epoch_started")
        job.process.send_signal(signal.SIGINT)
        job.wait_for("stopping")
        job.process.send_signal(signal.SIGINT)
        assert job.end()[0] == ExitCode.INTERRUPTED
        assert job.processes() == 0


def test_nothing_outlives_a_launcher_that_is_killed(tmp_path: Path) -> None:
    with start(tmp_path, "--ranks", "2", "--standbys", "1") as job:
        assert job.processes() == 1 + 2 + 1 + 2
        job.process.kill()
        job.process.wait(WAIT_S)
        until_alone(job)
    assert hotswap(tmp_path, "jobs").stdout.splitlines()[1].split()[:2] == ["test", "unknown"]

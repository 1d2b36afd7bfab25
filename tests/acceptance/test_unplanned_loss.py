"""A rank is killed for real, and nothing is lost: neither a step, nor a sample, nor a bit."""

from __future__ import annotations

import random
import signal
from typing import TYPE_CHECKING

import pytest

from benchmarks.lab.job import Job, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.slow_processes, pytest.mark.timeout(400)]

STEPS = 60
#: Slow enough that the job is not over before it was disturbed, however busy the machine is, s.
PACE_S = 0.3


def _check(job: Job, outcome: Outcome, twin: Outcome) -> None:
    """Compare with the undisturbed run; the one process that is killed may not write its loss."""
    assert outcome.code == 0, job.story()
    assert outcome.same_as(twin, losses_unwritten_max=1), job.story()
    assert job.command("ledger", check=False).returncode == 0, job.story()


@pytest.mark.parametrize(("mode", "ranks"), [("fsdp2", 2), ("ddp", 3)])
def test_a_rank_killed_at_a_random_moment_costs_nothing(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome], mode: str, ranks: int
) -> None:
    """The standby takes over; the seed of the moment is printed."""
    arguments = ["--mode", mode, "--steps", str(STEPS)]
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chosen = random.Random(seed)
    twin = twin_of(ranks, arguments)
    with Job(ranks=ranks, arguments=arguments, folder=tmp_path, pace_s=PACE_S) as job:
        job.wait_protected()
        victim = chosen.randrange(ranks)
        name = job.owner(victim)
        with job._heard:
            job._heard.wait(chosen.random())
        job.signal(name)
        job.wait_for(lambda notice: notice["kind"] == "unplanned_completed")
        outcome = job.end()
        _check(job, outcome, twin)
        # The job's own account is whole: what the lost rank could not report, its successor did.
        assert outcome.told() == dict.fromkeys(range(STEPS), float(ranks)), job.story()


@pytest.mark.parametrize("place", ["forward", "backward", "vote", "optimizer", "copy"])
def test_a_rank_that_dies_at_the_worst_place_costs_nothing(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome], place: str
) -> None:
    """In forward, in backward, at the vote, right after the optimizer, while mirroring."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    aimed = [*arguments, "--aim", f"{place}:1:{STEPS // 2}"]
    with Job(ranks=2, arguments=aimed, folder=tmp_path, pace_s=PACE_S) as job:
        job.wait_for(lambda notice: notice["kind"] == "unplanned_completed")
        _check(job, job.end(), twin)


def test_a_frozen_rank_is_replaced_and_refused_when_it_wakes(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome]
) -> None:
    """Its lease runs out; woken up, it is told that its rank has another owner, and ends."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    with Job(
        ranks=2,
        arguments=arguments,
        folder=tmp_path,
        pace_s=PACE_S,
        environment={"HOTSWAP_FENCED_EXIT_S": "60"},
    ) as job:
        job.wait_protected()
        name = job.owner(1)
        job.signal(name, signal.SIGSTOP)
        job.wait_for(lambda notice: notice["kind"] == "unplanned_completed")
        job.signal(name, signal.SIGCONT)
        _check(job, job.end(), twin)
        log = (job.home / "jobs" / "lab" / "logs" / f"{name}.stderr.log").read_text()
        assert "fenced_off" in log


def test_training_goes_on_without_any_coordinator(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome]
) -> None:
    """Both are killed; new ones are started, and the job ends as it would have."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    with Job(ranks=2, arguments=arguments, folder=tmp_path, pace_s=PACE_S) as job:
        job.wait_protected()
        for name in [name for name in job.pids() if name.startswith("coordinator")]:
            job.signal(name)
        _check(job, job.end(), twin)


def test_owner_and_mirror_lost_together_cost_the_steps_since_the_checkpoint(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome]
) -> None:
    """The job resumes from the last checkpoint, and says from which step."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    with Job(
        ranks=2,
        arguments=arguments,
        options=["--checkpoint-every", "10"],
        folder=tmp_path,
        pace_s=PACE_S,
    ) as job:
        job.wait_protected()
        job.wait_step(15)
        pids = job.pids()
        owner = job.owner(1)
        for name in (owner, "standby-0"):
            job.signal(name)
        assert {owner, "standby-0"} <= pids.keys()
        restored = job.wait_for(lambda notice: notice["kind"] == "restored")
        assert restored["step"] % 10 == 0
        outcome = job.end()
        assert outcome.code == 0, job.story()
        assert outcome.same_as(twin), job.story()

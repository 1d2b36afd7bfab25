"""A rank is killed for real, and nothing is lost: neither a step, nor a sample, nor a bit."""

from __future__ import annotations

import json
import random
import signal
import threading
import time
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from benchmarks.lab.aim import SMALL_SLICES
from benchmarks.lab.job import Job, Outcome
from benchmarks.lab.relay import Relay
from tests.acceptance.conftest import PATIENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

pytestmark = [pytest.mark.slow_processes, pytest.mark.timeout(900)]

STEPS = 60
#: Slow enough that the job is not over before it was disturbed, however busy the machine is, s.
PACE_S = 1.0
#: Limits of jobs whose ranks fall silent: long enough that no other does on a busy machine.
SILENT = PATIENT | {"HOTSWAP_LEASE_S": "10", "HOTSWAP_FENCED_EXIT_S": "120"}
#: Over the lease, for a busy machine to notice that it has run out, s.
SLACK_S = 5.0
#: For a process that is well again to end, s.
ENDED_S = 60.0


def _job(
    folder: Path,
    arguments: Sequence[str],
    *,
    ranks: int = 2,
    standbys: int = 1,
    options: Sequence[str] = (),
    environment: Mapping[str, str] = PATIENT,
) -> Job:
    """Return a job that walks until it is told to end."""
    return Job(
        ranks=ranks,
        standbys=standbys,
        arguments=[*arguments],
        options=[*options],
        folder=folder,
        pace_s=PACE_S,
        environment={**environment},
    )


def _check(job: Job, outcome: Outcome, twin: Outcome) -> None:
    """Compare with the undisturbed run; the one process that is killed may not write its loss."""
    assert outcome.code == 0, job.story()
    assert outcome.same_as(twin, losses_unwritten_max=1), job.story()
    assert job.command("ledger", check=False).returncode == 0, job.story()
    exits = [each["text"] for each in outcome.notices if each["kind"] == "process_exited"]
    assert not [text for text in exits if text.endswith("signal 6")], "none has aborted at its end"


@pytest.mark.parametrize(
    ("mode", "ranks", "victim"),
    [("fsdp2", 2, 1), ("ddp", 3, 0)],
    ids=["its model is built", "another rank's model is built"],
)
def test_a_rank_killed_at_a_random_moment_costs_nothing(
    tmp_path: Path,
    twin_of: Callable[[int, list[str]], Outcome],
    mode: str,
    ranks: int,
    victim: int,
) -> None:
    """The standby takes over; the seed of the moment is printed."""
    arguments = ["--mode", mode, "--steps", str(STEPS)]
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chosen = random.Random(seed)
    twin = twin_of(ranks, arguments)
    with _job(tmp_path, arguments, ranks=ranks) as job:
        job.wait_status(lambda status: status.ranks[-1].prepared == ("standby-0",))
        name = job.owner(victim)
        with job._heard:
            job._heard.wait(chosen.random())
        job.signal(name)
        job.wait_for(lambda notice: notice["kind"] == "unplanned_completed")
        outcome = job.end()
        _check(job, outcome, twin)
        # The job's own account is whole: what the lost rank could not report, its successor did.
        assert outcome.told() == dict.fromkeys(range(STEPS), float(ranks)), job.story()


@pytest.mark.parametrize("place", ["forward", "backward", "vote", "optimizer", "gradients"])
def test_a_rank_that_dies_at_the_worst_place_costs_nothing(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome], place: str
) -> None:
    """In forward, in backward, at the vote, in the optimizer, while it sends gradients."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    aimed = [*arguments, "--aim", f"{place}:1:0"]
    with _job(tmp_path, aimed) as job:
        job.wait_for(lambda notice: notice["kind"] == "unplanned_completed")
        _check(job, job.end(), twin)


def test_a_rank_that_dies_while_it_copies_its_state_costs_nothing(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome]
) -> None:
    """Half of its state is at the target of a swap; the mirror that protects it takes over."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    aimed = [*arguments, "--aim", "copy:1:0"]
    with _job(tmp_path, aimed, standbys=2, environment=PATIENT | SMALL_SLICES) as job:
        status = job.wait_protected(standbys=2)
        (mirror,) = next(each.mirrors for each in status.ranks if each.rank == 1)
        target = next(each for each in status.standbys if each != mirror)
        job.command("swap", "--rank", "1", "--to", target, "--json", check=False)
        taken = job.wait_for(lambda notice: notice["kind"] == "unplanned_completed")
        assert taken["member"] == mirror
        _check(job, job.end(), twin)


def test_a_rank_that_dies_while_another_is_swapped_costs_nothing(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome]
) -> None:
    """The swap is given up or takes place; either way the lost rank has an owner again."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    with _job(tmp_path, arguments) as job:
        job.wait_protected()
        victim = job.owner(0)
        swap = threading.Thread(
            target=lambda: job.command("swap", "--rank", "1", check=False), daemon=True
        )
        swap.start()
        job.wait_for(lambda notice: notice["kind"] == "swap_phase" and notice["text"] == "binding")
        job.signal(victim)
        job.wait_for(lambda notice: notice["kind"] == "unplanned_completed")
        _check(job, job.end(), twin)
        swap.join(ENDED_S)


def test_a_frozen_rank_is_replaced_and_refused_when_it_wakes(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome]
) -> None:
    """Its lease runs out; woken up, it is told that its rank has another owner, and ends."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    with _job(tmp_path, arguments, environment=SILENT) as job:
        job.wait_protected()
        name = job.owner(1)
        job.signal(name, signal.SIGSTOP)
        job.wait_for(lambda notice: notice["kind"] == "unplanned_completed")
        job.signal(name, signal.SIGCONT)
        _wait_refused(job, name)
        _check(job, job.end(), twin)
        _check_owners(job)


def test_a_rank_that_is_cut_off_from_the_coordinator_is_replaced_and_refused_when_healed(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome]
) -> None:
    """Nothing but its control connection is silent: it goes on computing until the others leave."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    relay = Relay(out=tmp_path / "out", job=tmp_path / "jobs" / "lab", member="node-1")
    with _job(tmp_path, arguments, environment=SILENT) as job:
        job.wait_protected()
        cut_s = time.monotonic()
        relay.cut()
        dead = job.wait_for(lambda notice: notice["kind"] == "epoch_dead")
        lease_s = float(SILENT["HOTSWAP_LEASE_S"])
        assert lease_s - 1 < dead["at_monotonic_s"] - cut_s < lease_s + SLACK_S
        taken = job.wait_for(lambda notice: notice["kind"] == "unplanned_completed")
        assert (taken["rank"], taken["member"]) == (1, "standby-0")
        assert "node-1" in job.pids(), "it lives, and has not heard of it"
        relay.heal()
        _wait_refused(job, "node-1")
        _check(job, job.end(), twin)
        _check_owners(job)
    relay.close()


def _wait_refused(job: Job, name: str) -> None:
    """Wait until a process that was replaced has ended by itself, and see what it says."""
    exited = job.wait_for(
        lambda notice: notice["kind"] == "process_exited" and notice["member"] == name,
        timeout_s=ENDED_S,
    )
    assert exited["text"] == f"{name} failed with exit status 70"
    log = (job.directory.logs / f"{name}.stderr.log").read_text()
    assert f"fenced_off: {name} was declared lost" in log
    assert "its rank may have another owner" in log


def _check_owners(job: Job) -> None:
    """Of each rank and epoch, one member alone has written steps, and the events name it."""
    wrote: dict[tuple[int, int], set[str]] = defaultdict(set)
    for path in job.out.glob("rank-*.jsonl"):
        rank, member, _ = path.name.removeprefix("rank-").split(".")
        for line in map(json.loads, path.read_text().splitlines()):
            if "step" in line:
                wrote[int(rank), line["epoch"]].add(member)
    assert all(len(members) == 1 for members in wrote.values()), dict(wrote)
    lines = (job.directory.path / "events.jsonl").read_text().splitlines()
    (taken,) = [each for each in map(json.loads, lines) if each["kind"] == "unplanned_completed"]
    assert wrote[taken["rank"], taken["epoch"]] == {taken["member"]}


def test_training_goes_on_without_any_coordinator(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome]
) -> None:
    """Both are killed; new ones are started, and the job ends as it would have."""
    arguments = ["--steps", str(STEPS)]
    twin = twin_of(2, arguments)
    with _job(tmp_path, arguments) as job:
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
    with _job(tmp_path, arguments, options=["--checkpoint-every", "10"]) as job:
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

"""What rows compute from what they have read."""

import os
from pathlib import Path

from benchmarks.lab.aim import PLACES
from benchmarks.lab.attempts import Attempt
from benchmarks.rows.frozen import two_owners
from benchmarks.rows.kills import CASES, Cost
from benchmarks.rows.planned import usage
from benchmarks.rows.steady import costs_ms


def committed(member: str, epoch: int) -> Attempt:
    return Attempt(
        rank=1,
        member=member,
        step=3,
        epoch=epoch,
        begun_s=0.0,
        cpu_s=0.0,
        ended_s=1.0,
        committed=True,
    )


def test_two_members_that_commit_for_one_rank_in_one_epoch_are_two_owners() -> None:
    assert two_owners([committed("node-1", 1), committed("standby-0", 1)])
    assert not two_owners([committed("node-1", 1), committed("standby-0", 2)])


def test_what_a_kill_costs_stands_under_its_name_and_what_never_came_is_unknown() -> None:
    cost = Cost(stall_ms=None, recomputed_ms=0.0, commit_gap_ms=12.34567)
    assert cost.figures("aimed_copy") == {
        "aimed_copy_stall_ms": None,
        "aimed_copy_recomputed_ms": 0.0,
        "aimed_copy_commit_gap_ms": 12.346,
    }


def test_kills_are_aimed_at_every_place_that_a_rank_can_be_told_to_die_at() -> None:
    assert {*PLACES, "swap"} == {*CASES}


def test_a_step_costs_what_lies_between_its_end_and_that_of_the_one_before() -> None:
    rank = [{"step": step, "cpu_s": total} for step, total in enumerate((5.0, 5.1, 5.3, 5.6))]
    assert [round(cost) for cost in costs_ms([rank], first=1, steps=2)] == [100, 200]


def test_a_step_whose_former_one_was_not_written_costs_nobody_knows_what() -> None:
    rank = [{"step": 1.0, "cpu_s": 1.0}, {"step": 3.0, "cpu_s": 2.0}]
    assert costs_ms([rank], first=0, steps=9) == []


def test_a_process_holds_descriptors_threads_and_memory() -> None:
    process = Path("/proc") / str(os.getpid())
    before = usage(process)
    with process.joinpath("status").open():
        assert usage(process)["descriptors"] == before["descriptors"] + 1
    assert before["threads"] >= 1
    assert before["resident_kib"] > 1000

"""What the members' own lines say of a job's steps."""

import json
from pathlib import Path

from benchmarks.plane_rows.step_log import StepLog


def lines(rank: int, member: str, *steps: int) -> list[bytes]:
    return [json.dumps({"rank": rank, "step": step, "member": member}).encode() for step in steps]


def test_a_step_that_another_rank_has_written_down_is_not_lost() -> None:
    log = StepLog()
    log.take(lines(0, "node-0", 0, 1))
    log.take(lines(1, "node-1", 0, 1, 2, 3))
    # killed before it could write step 2 down, and rolled forward by who took over
    log.take(lines(0, "standby-0", 3))
    assert (log.committed, log.lost(), log.repeated()) == (4, 0, 0)
    assert log.owner(0) == "standby-0"


def test_a_step_that_nobody_has_written_down_is_lost() -> None:
    log = StepLog()
    log.take(lines(0, "node-0", 0, 1, 3))
    assert log.lost() == 1


def test_a_rank_that_goes_back_commits_steps_twice() -> None:
    log = StepLog()
    log.take(lines(0, "node-0", 0, 1, 2))
    log.take(lines(0, "standby-0", 1, 2))
    assert log.repeated() == 1
    assert log.lost() == 0


def test_half_a_line_is_read_once_it_is_whole(tmp_path: Path) -> None:
    log, file = StepLog(), tmp_path / "steps.jsonl"
    log.read(file)
    assert log.committed == 0
    (whole,) = lines(0, "node-0", 0)
    file.write_bytes(whole + b"\n" + whole[:5])
    log.read(file)
    assert log.steps == {0: [(0, "node-0")]}
    (second,) = lines(0, "node-0", 1)
    file.write_bytes(whole + b"\n" + second + b"\n")
    log.read(file)
    assert log.committed == 2

"""What a disturbance cost, computed from lines that ranks wrote."""

from pathlib import Path

import pytest

from benchmarks.lab.attempts import (
    Attempt,
    commit_gap_ms,
    commits,
    parse,
    read,
    recomputed_ms,
    stall_ms,
    steps_lost,
)


def attempt(
    rank: int,
    step: int,
    epoch: int,
    begun_s: float,
    ended_s: float | None = None,
    *,
    committed: bool = False,
) -> Attempt:
    return Attempt(
        rank=rank,
        member=f"member-{rank}-{epoch}",
        step=step,
        epoch=epoch,
        begun_s=begun_s,
        cpu_s=0.0,
        ended_s=ended_s,
        committed=committed,
    )


#: Rank 1 dies at 10.25 in step 3; rank 0 does it again in epoch 2, with a new rank 1.
LOST = [
    attempt(0, 2, 1, 9.0, 10.0, committed=True),
    attempt(1, 2, 1, 9.0, 10.1, committed=True),
    attempt(0, 3, 1, 10.0, 10.3),
    attempt(1, 3, 1, 10.1),
    attempt(0, 3, 2, 10.5, 11.5, committed=True),
    attempt(1, 3, 2, 10.6, 11.6, committed=True),
]


def test_a_beginning_without_an_end_is_an_attempt_that_its_process_did_not_survive() -> None:
    lines = [
        {"begun": 4, "epoch": 1, "cpu_s": 0.5, "at_s": 1.0},
        {"ended": 4, "epoch": 1, "committed": True, "at_s": 2.0},
        {"begun": 5, "epoch": 1, "cpu_s": 0.7, "at_s": 2.5},
    ]
    first, second = parse(lines, rank=0, member="node-0")
    assert (first.step, first.ended_s, first.committed, first.cpu_s) == (4, 2.0, True, 0.5)
    assert (second.step, second.ended_s, second.committed) == (5, None, False)


def test_half_a_line_at_the_end_of_a_file_is_left_out(tmp_path: Path) -> None:
    line = '{"begun": 4, "epoch": 1, "cpu_s": 0.5, "at_s": 1.0}\n'
    (tmp_path / "attempts-1.standby-0.jsonl").write_text(line + '{"ended": 4, "ep')
    (found,) = read(tmp_path)
    assert (found.rank, found.member, found.ended_s) == (1, "standby-0", None)


def test_a_step_is_committed_when_the_first_rank_says_so() -> None:
    assert commits(LOST) == [10.0, 11.5]


def test_the_gap_is_the_longest_one_in_the_window_less_a_median_step() -> None:
    moments = [0.0, 1.0, 2.0, 3.0, 6.0, 7.0, 20.0]
    assert commit_gap_ms(moments, window=(3.5, 8.0)) == pytest.approx(2_000)
    assert commit_gap_ms(moments, window=(3.5, 20.5)) == pytest.approx(12_000)


def test_the_step_that_a_gap_is_compared_with_is_the_latest() -> None:
    walking = [float(each) for each in range(20)]
    running = [19.1, 19.2, 19.3, 19.4, 19.5]
    moments = [*walking, *running, 19.9, 20.0]
    assert commit_gap_ms(moments, window=(19.6, 20.1)) == pytest.approx(300)


def test_a_gap_without_a_step_before_it_is_unknown() -> None:
    assert commit_gap_ms([], window=(0.0, 1.0)) is None
    assert commit_gap_ms([5.0, 6.0], window=(0.0, 10.0)) is None


def test_the_stall_ends_when_the_last_rank_computes_in_a_later_epoch() -> None:
    assert stall_ms(LOST, lost_s=10.25, ranks=2) == pytest.approx(350)


def test_a_stall_that_a_rank_has_not_come_out_of_is_unknown() -> None:
    assert stall_ms(LOST[:-1], lost_s=10.25, ranks=2) is None


def test_only_work_that_a_survivor_did_again_is_recomputed() -> None:
    assert recomputed_ms(LOST, lost_s=10.25) == pytest.approx(250)
    rolled_forward = [*LOST[:4], attempt(0, 4, 2, 10.5, 11.5, committed=True)]
    assert recomputed_ms(rolled_forward, lost_s=10.25) == 0


def test_a_step_that_was_committed_and_done_again_was_lost() -> None:
    assert steps_lost(LOST) == 0
    assert steps_lost([*LOST, attempt(0, 2, 3, 12.0), attempt(0, 3, 3, 13.0)]) == 2

"""What a run came to, from the records of its processes."""

import random

import pytest

from benchmarks.peers.judge import Verdict, attempts_of, judge
from benchmarks.peers.records import Commit, Computed, Record
from tests.benchmarks.peers.runs import (
    STEP_NS,
    attempt,
    ends,
    loss_of,
    reference,
    sample_ids,
    steady,
)

STEPS = 10


def verdict(records: list[Record], *, kill_ns: int | None) -> Verdict:
    return judge(records, reference=reference(STEPS), kill_ns=kill_ns)


def test_an_undisturbed_run_is_the_reference() -> None:
    seen = verdict([*steady(1, STEPS), *ends(11 * STEP_NS)], kill_ns=None)
    assert seen == Verdict(
        step_ms=100,
        commit_gap_ms=0,
        new_step_ms=None,
        full_strength_ms=None,
        steps_lost=0,
        samples_lost=0,
        samples_doubled=0,
        same_losses=True,
        same_state=True,
        finished=True,
    )


def test_the_order_of_the_records_does_not_matter() -> None:
    records = [*steady(1, STEPS), *ends(11 * STEP_NS)]
    shuffled = records.copy()
    random.Random(5).shuffle(shuffled)
    assert verdict(shuffled, kill_ns=None) == verdict(records, kill_ns=None)


def test_a_spare_that_takes_over_costs_time_alone() -> None:
    """Step 6 comes 400 ms late, with another process in rank 1."""
    records = [*steady(1, 5)]
    for step in range(6, STEPS + 1):
        records += attempt(step, at_ns=step * STEP_NS + 4 * STEP_NS, pids=(10, 12))
    records += ends(15 * STEP_NS, pids=(10, 12))
    seen = verdict(records, kill_ns=round(5.5 * STEP_NS))
    assert seen.commit_gap_ms == pytest.approx(400)
    assert seen.new_step_ms == pytest.approx(450)
    # rank 1 commits a millisecond after rank 0
    assert seen.full_strength_ms == pytest.approx(451)
    assert (seen.steps_lost, seen.samples_lost, seen.samples_doubled) == (0, 0, 0)
    assert seen.same_losses
    assert seen.same_state


def test_steps_done_again_after_a_checkpoint_are_lost_but_their_samples_are_not() -> None:
    """Killed after step 7, back to the checkpoint of step 4."""
    records = [*steady(1, 7)]
    for step in range(5, STEPS + 1):
        records += attempt(step, at_ns=step * STEP_NS + 50 * STEP_NS, pids=(20, 21))
    records += ends(61 * STEP_NS, pids=(20, 21))
    seen = verdict(records, kill_ns=round(7.5 * STEP_NS))
    assert seen.steps_lost == 3
    assert (seen.samples_lost, seen.samples_doubled) == (0, 0)
    assert seen.same_losses
    assert seen.full_strength_ms == pytest.approx(4751)
    # step 8 is the first one that is new
    assert seen.new_step_ms == pytest.approx(5050)


def test_the_last_step_done_again_is_lost_though_its_number_stays() -> None:
    records = [*steady(1, 5), *attempt(5, at_ns=20 * STEP_NS, pids=(20, 21))]
    assert verdict(records, kill_ns=6 * STEP_NS).steps_lost == 1


def test_a_rank_that_is_missing_loses_its_samples() -> None:
    """Rank 1 is gone for steps 6 and 7, then it is back."""
    records = [
        *steady(1, 5),
        *steady(6, 7, pids=(10,)),
        *steady(8, STEPS, pids=(10, 12)),
        *ends(11 * STEP_NS, pids=(10, 12), digest="other"),
    ]
    seen = verdict(records, kill_ns=round(5.5 * STEP_NS))
    assert seen.samples_lost == 4
    assert seen.full_strength_ms == pytest.approx(251)
    assert not seen.same_losses
    assert not seen.same_state


def test_what_the_killed_rank_had_committed_alone_is_not_in_the_final_state() -> None:
    """Rank 1 applies step 5 and dies; rank 0 had not, and does step 5 without it."""
    records = [*steady(1, 4)]
    records += [
        record
        for record in attempt(5, at_ns=5 * STEP_NS)
        if not (isinstance(record, Commit) and record.rank == 0)
    ]
    records += [*steady(6, STEPS, pids=(10,)), *attempt(5, at_ns=round(5.7 * STEP_NS), pids=(10,))]
    seen = verdict(records, kill_ns=round(5.1 * STEP_NS))
    # rank 1's of step 5 to step 10
    assert seen.samples_lost == 2 * (STEPS - 4)
    assert seen.steps_lost == 1


def test_a_rank_killed_before_it_could_write_its_commit_still_took_part() -> None:
    """The step is the mean of two ranks, so both had handed over what they had computed."""
    records = [
        record
        for record in steady(1, STEPS)
        if not (isinstance(record, Commit) and record.step == 5 and record.rank == 1)
    ]
    seen = verdict(records, kill_ns=round(5.005 * STEP_NS))
    assert seen.same_losses
    assert seen.samples_lost == 0


def test_a_rank_that_has_only_computed_so_far_took_part_in_what_another_committed() -> None:
    """Cut short between the commits of the two ranks, one of which has just taken over."""
    records = [*steady(1, 5)]
    records += [
        record
        for record in attempt(6, at_ns=6 * STEP_NS, pids=(10, 12))
        if not (isinstance(record, Commit) and record.rank == 1)
    ]
    assert verdict(records, kill_ns=round(5.5 * STEP_NS)).samples_lost == 0


def test_the_same_samples_in_two_steps_are_doubled() -> None:
    records = [
        Computed(
            monotonic_ns=record.monotonic_ns,
            pid=record.pid,
            step=record.step,
            rank=record.rank,
            loss=record.loss,
            samples=sample_ids(6, record.rank),
        )
        if isinstance(record, Computed) and record.step == 7
        else record
        for record in steady(1, STEPS)
    ]
    seen = verdict(records, kill_ns=None)
    assert (seen.samples_lost, seen.samples_doubled) == (4, 4)


def test_another_loss_is_noticed() -> None:
    records = [*steady(1, 9), *attempt(STEPS, at_ns=STEPS * STEP_NS, loss=(0.5).hex())]
    assert not verdict(records, kill_ns=None).same_losses


def test_one_process_with_another_state_is_noticed() -> None:
    records = [
        *steady(1, STEPS),
        *ends(11 * STEP_NS, pids=(10,)),
        *ends(11 * STEP_NS, pids=(11,), digest="other"),
    ]
    assert not verdict(records, kill_ns=None).same_state


def test_a_job_that_never_came_back_has_no_times_rather_than_zero() -> None:
    seen = verdict([*steady(1, 5)], kill_ns=round(5.5 * STEP_NS))
    assert seen.step_ms == 100
    assert (seen.commit_gap_ms, seen.new_step_ms, seen.full_strength_ms) == (None, None, None)
    # what it did not get to is not lost yet
    assert seen.samples_lost == 0
    assert not seen.finished
    assert not seen.same_state
    assert not seen.same_losses


def test_a_job_that_goes_on_with_fewer_ranks_never_has_full_strength() -> None:
    seen = verdict(
        [*steady(1, 5), *steady(6, STEPS, pids=(10,)), *ends(11 * STEP_NS, pids=(10,))],
        kill_ns=round(5.5 * STEP_NS),
    )
    assert seen.new_step_ms == pytest.approx(50)
    assert seen.full_strength_ms is None
    assert not seen.finished


def test_a_process_that_starts_after_the_end_is_of_no_account() -> None:
    records = [*steady(1, STEPS), *ends(11 * STEP_NS)]
    for step in range(1, 4):
        records += attempt(step, at_ns=(20 + step) * STEP_NS, pids=(30,))
    assert verdict(records, kill_ns=None) == verdict(
        [*steady(1, STEPS), *ends(11 * STEP_NS)], kill_ns=None
    )


def test_a_step_that_was_computed_and_never_applied_is_no_attempt() -> None:
    given_up = [record for record in attempt(6, at_ns=6 * STEP_NS) if isinstance(record, Computed)]
    assert [each.step for each in attempts_of([*steady(1, 5), *given_up])] == [1, 2, 3, 4, 5]


def test_an_attempt_is_made_of_what_was_computed_last() -> None:
    first = [*attempt(1, at_ns=STEP_NS, loss=(9.0).hex())][:2]
    retried = [*attempt(1, at_ns=3 * STEP_NS)]
    (made,) = attempts_of([*first, *retried])
    assert {rank: work.loss for rank, work in made.work.items()} == {
        rank: loss_of(1, rank) for rank in (0, 1)
    }

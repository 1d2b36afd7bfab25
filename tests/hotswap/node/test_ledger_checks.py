"""The ledger alone shows whether a sample was consumed twice or left out."""

import random
from dataclasses import dataclass

import pytest

from hotswap.node.ledger_checks import check_ledger

RANKS, BATCH, SAMPLES = 2, 3, 24


@dataclass(frozen=True)
class Line:
    epoch: int
    step: int
    rank: int
    sample_ids: tuple[int, ...]


def ledger(*, steps: int, seed: int = 0) -> list[Line]:
    """Give the records of an undisturbed run: a new permutation for each pass."""
    shuffle = random.Random(seed)
    order: list[int] = []
    while len(order) < steps * RANKS * BATCH:
        order += shuffle.sample(range(SAMPLES), SAMPLES)
    lines = []
    for step in range(steps):
        for rank in range(RANKS):
            first = (step * RANKS + rank) * BATCH
            lines.append(Line(1, step, rank, tuple(order[first : first + BATCH])))
    return lines


def failed(lines: list[Line], *, committed: int | None = None) -> dict[str, str]:
    checks = check_ledger(lines, ranks=RANKS, committed=committed)
    return {check.question: check.detail for check in checks if check.verdict == "failed"}


@pytest.mark.parametrize("steps", [1, 3, 4, 5, 8, 11])
def test_an_undisturbed_run_passes_at_any_step_of_any_pass(steps: int) -> None:
    checks = check_ledger(ledger(steps=steps), ranks=RANKS, committed=steps)
    assert {check.verdict for check in checks} == {"ok"}


def test_a_step_that_was_done_again_by_the_next_owner_counts_once() -> None:
    lines = ledger(steps=6)
    lines += [Line(2, line.step, line.rank, line.sample_ids) for line in lines if line.step == 5]
    assert failed(lines, committed=6) == {}


def test_a_missing_record_is_named() -> None:
    lines = [line for line in ledger(steps=6) if (line.step, line.rank) != (3, 1)]
    assert failed(lines) == {"every rank recorded every step": "missing: step 3 of rank 1"}


def test_a_ledger_that_ends_before_the_job_is_noticed() -> None:
    assert (
        "step 6 of rank 0" in failed(ledger(steps=6), committed=7)["every rank recorded every step"]
    )


def test_a_record_of_a_step_that_was_never_committed_is_noticed() -> None:
    assert failed(ledger(steps=6), committed=5)["every rank recorded every step"].startswith(
        "never committed: step 5 of rank 0"
    )


def test_a_step_recorded_twice_in_one_epoch_is_noticed() -> None:
    lines = ledger(steps=6)
    assert "no step was recorded twice in one epoch" in failed([*lines, lines[4]])


def test_other_samples_when_a_step_is_done_again_are_noticed() -> None:
    lines = ledger(steps=3)
    again = Line(2, 2, 0, tuple(reversed(lines[4].sample_ids)))
    assert "a step that was done again read the same samples" in failed([*lines, again])


def with_a_sample_read_twice(lines: list[Line]) -> tuple[list[Line], str]:
    """Have rank 1 read a sample that rank 0 has read in the same step."""
    twice = lines[0].sample_ids[0]
    doubled = Line(1, 0, 1, (twice, *lines[1].sample_ids[1:]))
    return [lines[0], doubled, *lines[2:]], f"sample {twice}"


def test_a_sample_read_twice_in_one_pass_is_named() -> None:
    lines, twice = with_a_sample_read_twice(ledger(steps=8))
    assert twice in failed(lines)["no sample was read twice in one pass"]


def test_a_sample_read_twice_before_the_first_pass_is_over_is_not_passed_as_good() -> None:
    lines, twice = with_a_sample_read_twice(ledger(steps=3))
    (check,) = (
        check
        for check in check_ledger(lines, ranks=RANKS, committed=3)
        if check.question == "no sample was read twice in one pass"
    )
    assert (check.verdict, check.detail) == (
        "unknown",
        f"read again before others were read at all: {twice}",
    )


def test_an_empty_ledger_proves_nothing() -> None:
    checks = check_ledger([], ranks=RANKS, committed=None)
    assert {check.verdict for check in checks} == {"unknown"}


def test_long_findings_are_counted_and_not_listed() -> None:
    lines = [line for line in ledger(steps=20) if line.rank == 0]
    assert failed(lines)["every rank recorded every step"].endswith("and 17 more")

"""Tests of hotswap.runtime.data.audit: none twice, none missing, shown from the files."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.runtime.data.audit import LedgerFinding, audit_ledger
from hotswap.runtime.data.ledger import LedgerRecord, LedgerWriter, read_ledger
from hotswap.runtime.data.order import SampleOrder

ORDER = SampleOrder(dataset_length=60, batch_size=2, micro_batches=2, world_size=3, seed=5)
STEPS = 10
PLACES = st.tuples(
    st.integers(min_value=0, max_value=STEPS - 1), st.integers(min_value=0, max_value=2)
)


def record(step: int, rank: int, *, epoch: int = 1) -> LedgerRecord:
    ids = ORDER.step_ids(step=step, rank=rank)
    return LedgerRecord(epoch=epoch, step=step, rank=rank, sample_ids=ids)


def undisturbed() -> list[LedgerRecord]:
    return [record(step, rank) for step in range(STEPS) for rank in range(3)]


def finding(step: int, rank: int, *sample_ids: int) -> tuple[LedgerFinding, ...]:
    return (LedgerFinding(step=step, rank=rank, sample_ids=tuple(sorted(sample_ids))),)


def test_an_undisturbed_run_is_clean() -> None:
    report = audit_ledger(undisturbed(), order=ORDER, steps=STEPS)
    assert report.clean
    assert report.consumed == STEPS * 12
    assert report.superseded == 0


@given(PLACES)
def test_a_step_without_a_record_is_missing(place: tuple[int, int]) -> None:
    records = [each for each in undisturbed() if (each.step, each.rank) != place]
    report = audit_ledger(records, order=ORDER, steps=STEPS)
    assert report.missing == finding(*place, *record(*place).sample_ids)
    assert not report.clean
    assert report.doubled == report.unexpected == ()


@given(PLACES)
def test_a_step_recorded_twice_in_one_epoch_is_doubled(place: tuple[int, int]) -> None:
    report = audit_ledger([*undisturbed(), record(*place)], order=ORDER, steps=STEPS)
    assert report.doubled == finding(*place, *record(*place).sample_ids)
    assert report.missing == report.unexpected == ()


@given(PLACES)
def test_the_step_that_an_owner_died_in_may_be_recorded_by_its_successor_too(
    place: tuple[int, int],
) -> None:
    report = audit_ledger([record(*place, epoch=2), *undisturbed()], order=ORDER, steps=STEPS)
    assert report.clean
    assert report.consumed == STEPS * 12
    assert report.superseded == 1


def test_steps_committed_again_after_a_roll_back_count_once() -> None:
    again = [record(step, rank, epoch=2) for step in range(4, STEPS) for rank in range(3)]
    report = audit_ledger([*undisturbed(), *again], order=ORDER, steps=STEPS)
    assert report.clean
    assert report.consumed == STEPS * 12
    assert report.superseded == len(again)


def test_one_sample_exchanged_for_another_is_found_on_both_sides() -> None:
    wrong = record(4, 1)
    stranger = next(sample for sample in range(60) if sample not in wrong.sample_ids)
    wrong = msgspec.structs.replace(wrong, sample_ids=(stranger, *wrong.sample_ids[1:]))
    records = [wrong if (each.step, each.rank) == (4, 1) else each for each in undisturbed()]
    report = audit_ledger(records, order=ORDER, steps=STEPS)
    assert report.missing == finding(4, 1, record(4, 1).sample_ids[0])
    assert report.unexpected == finding(4, 1, stranger)
    assert report.doubled == ()


def test_a_sample_consumed_twice_in_a_step_is_doubled() -> None:
    ids = record(4, 1).sample_ids
    wrong = msgspec.structs.replace(record(4, 1), sample_ids=(ids[1], *ids[1:]))
    records = [wrong if (each.step, each.rank) == (4, 1) else each for each in undisturbed()]
    report = audit_ledger(records, order=ORDER, steps=STEPS)
    assert report.doubled == finding(4, 1, ids[1])
    assert report.missing == finding(4, 1, ids[0])


def test_an_earlier_epoch_that_read_something_else_is_found() -> None:
    stranger = next(sample for sample in range(60) if sample not in record(4, 1).sample_ids)
    earlier = msgspec.structs.replace(record(4, 1), sample_ids=(stranger,))
    records = [each for each in undisturbed() if (each.step, each.rank) != (4, 1)]
    report = audit_ledger([earlier, *records, record(4, 1, epoch=2)], order=ORDER, steps=STEPS)
    assert report.unexpected == finding(4, 1, stranger)


@pytest.mark.parametrize(("step", "rank"), [(STEPS, 0), (0, 3)])
def test_a_record_of_a_step_or_rank_that_does_not_exist_is_unexpected(step: int, rank: int) -> None:
    extra = LedgerRecord(epoch=1, step=step, rank=rank, sample_ids=(8, 9))
    report = audit_ledger([*undisturbed(), extra], order=ORDER, steps=STEPS)
    assert report.unexpected == finding(step, rank, 8, 9)
    assert report.missing == report.doubled == ()


def test_another_seed_s_order_does_not_pass() -> None:
    assert not audit_ledger(undisturbed(), order=replace(ORDER, seed=6), steps=STEPS).clean


def test_the_files_of_a_troubled_run_prove_that_none_was_read_twice_and_none_was_lost(
    tmp_path: Path,
) -> None:
    """Rank 1 dies after step 3, in the middle of a line; later all return to step 6."""
    owners = {0: "node-0", 1: "node-1", 2: "node-2"}
    for epoch, steps in [(1, range(4)), (2, range(3, 8)), (3, range(6, STEPS))]:
        for rank in range(3):
            writer = LedgerWriter(directory=tmp_path, rank=rank, owner=owners[rank])
            # survivors have recorded step 3 in epoch 1; the successor does so in epoch 2
            for step in steps if epoch != 2 or rank == 1 else range(4, 8):
                ids = ORDER.step_ids(step=step, rank=rank)
                writer.append(epoch=epoch, step=step, rank=rank, sample_ids=ids)
            writer.close()
            if epoch == 1 and rank == 1:
                writer.path.write_bytes(writer.path.read_bytes()[:-9])
                owners[1] = "standby-0"
    contents = read_ledger(directory=tmp_path)
    assert [path.name for path in contents.torn] == ["rank-00001.node-1.jsonl"]
    report = audit_ledger(contents.records, order=ORDER, steps=STEPS)
    assert report.clean
    assert report.superseded == 2 * 3
    # and without asking the order: ten steps of 12 samples are two passes over 60
    latest = {(each.step, each.rank): each for each in sorted(contents.records, key=_epoch)}
    reads = Counter(sample for each in latest.values() for sample in each.sample_ids)
    assert dict(reads) == dict.fromkeys(range(60), 2)


def _epoch(each: LedgerRecord) -> int:
    return each.epoch

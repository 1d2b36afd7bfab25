"""Tests of hotswap.checkpoint.sets."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.checkpoint.layout import SetKey, list_sets, record_path, set_directory
from hotswap.checkpoint.sets import UNFINISHED_KEPT, SetStatus, inspect_set, prune, retained
from hotswap.checkpoint.writer import CheckpointWriter

SaveSet = Callable[..., None]
STATUSES = st.lists(
    st.builds(
        lambda epoch, step, complete: status(step, epoch=epoch, complete=complete),
        epoch=st.integers(0, 3),
        step=st.integers(0, 9),
        complete=st.booleans(),
    ),
    unique_by=lambda status: status.key,
    max_size=12,
)


def status(step: int, *, epoch: int = 1, complete: bool = True) -> SetStatus:
    return SetStatus(
        key=SetKey(step=step, epoch=epoch),
        world_size=2 if complete else None,
        problem=None if complete else "rank 1 of 2 has no record",
    )


def steps(keys: set[SetKey]) -> list[int]:
    return sorted(key.step for key in keys)


def test_the_newest_complete_sets_stay() -> None:
    assert steps(retained([status(step) for step in (10, 20, 30, 40)], keep=2)) == [30, 40]


def test_an_unfinished_set_does_not_push_out_a_complete_one() -> None:
    statuses = [status(10), status(20), status(30, complete=False)]
    assert steps(retained(statuses, keep=2)) == [10, 20, 30]


def test_an_unfinished_set_older_than_a_complete_one_goes() -> None:
    statuses = [status(10, complete=False), status(20), status(15, complete=False)]
    assert steps(retained(statuses, keep=2)) == [20]


def test_unfinished_sets_do_not_pile_up() -> None:
    statuses = [status(10), *(status(step, complete=False) for step in (20, 30, 40, 50))]
    assert steps(retained(statuses, keep=2)) == [10, 40, 50]


def test_a_set_written_after_going_back_is_younger_than_those_left_behind() -> None:
    statuses = [status(100), status(110), status(95, epoch=2)]
    assert steps(retained(statuses, keep=1)) == [95]


@given(statuses=STATUSES, keep=st.integers(0, 4))
def test_the_last_complete_set_is_never_given_up(statuses: list[SetStatus], keep: int) -> None:
    kept = retained(statuses, keep=keep)
    complete = sorted(status.key for status in statuses if status.problem is None)
    assert kept >= set(complete[-max(keep, 1) :])
    assert len(kept) <= max(keep, 1) + UNFINISHED_KEPT


def test_a_set_is_complete_when_every_rank_has_a_record(directory: Path, save_set: SaveSet) -> None:
    save_set(step=10, world_size=3)
    assert inspect_set(directory, SetKey(step=10, epoch=1)) == SetStatus(
        key=SetKey(step=10, epoch=1), world_size=3, problem=None
    )


def test_the_ranks_without_a_record_are_named(directory: Path, save_set: SaveSet) -> None:
    save_set(step=10, world_size=4)
    key = SetKey(step=10, epoch=1)
    for rank in (1, 3):
        record_path(directory, key, rank=rank).unlink()
    assert inspect_set(directory, key).problem == "rank 1, 3 of 4 has no record"


def test_a_set_without_any_record_says_so(directory: Path, save_set: SaveSet) -> None:
    save_set(step=10, world_size=1)
    key = SetKey(step=10, epoch=1)
    record_path(directory, key, rank=0).unlink()
    assert inspect_set(directory, key).problem == "no rank has a record"


@pytest.mark.parametrize("change", [{"job": "bert"}, {"world_size": 3}])
def test_records_of_different_jobs_or_sizes_do_not_make_a_set(
    directory: Path,
    make_writer: Callable[..., CheckpointWriter],
    save: Callable[..., bool],
    change: dict[str, object],
) -> None:
    save(make_writer(rank=0, world_size=2), step=10)
    save(make_writer(**{"rank": 1, "world_size": 2, **change}), step=10)
    problem = inspect_set(directory, SetKey(step=10, epoch=1)).problem
    assert "the records disagree" in str(problem)


def test_a_record_that_was_moved_or_torn_does_not_count(directory: Path, save_set: SaveSet) -> None:
    save_set(step=10)
    save_set(step=20)
    key = SetKey(step=20, epoch=1)
    record = record_path(directory, key, rank=1)
    whole = record.read_bytes()
    record.write_bytes(record_path(directory, SetKey(step=10, epoch=1), rank=1).read_bytes())
    assert "step 10" in str(inspect_set(directory, key).problem)
    record.write_bytes(whole[: len(whole) // 2])
    assert "rank-00001.json" in str(inspect_set(directory, key).problem)


def test_pruning_removes_whole_directories(directory: Path, save_set: SaveSet) -> None:
    for step in (10, 20, 30):
        save_set(step=step)
    unfinished = set_directory(directory, SetKey(step=5, epoch=1))
    unfinished.mkdir()
    (unfinished / ".rank-00000.safetensors.abc.tmp").write_bytes(b"left by a killed writer")
    assert [key.step for key in prune(directory, keep=2)] == [5, 10]
    assert [key.step for key in list_sets(directory)] == [20, 30]
    assert not unfinished.exists()


def test_pruning_leaves_other_files_of_the_directory_alone(
    directory: Path, save_set: SaveSet
) -> None:
    save_set(step=10)
    save_set(step=20)
    (directory / "notes.txt").write_text("keep me")
    prune(directory, keep=1)
    assert (directory / "notes.txt").read_text() == "keep me"
    assert [key.step for key in list_sets(directory)] == [20]


def test_pruning_again_removes_nothing(directory: Path, save_set: SaveSet) -> None:
    save_set(step=10)
    assert list(prune(directory, keep=1)) == []
    assert [key.step for key in list_sets(directory)] == [10]

"""The coordinator finds the checkpoint that the ranks' own code would load, without torch."""

from pathlib import Path

import pytest

from hotswap.checkpoint.layout import SetKey, data_path, record_path
from hotswap.coordinator.checkpoints import find_checkpoint
from tests.hotswap.coordinator.checkpoint_files import WORLD, write
from tests.hotswap.coordinator.scripted import JOB


def find(directory: Path, *, before_step: int | None = None) -> int | None:
    return find_checkpoint(directory, job=JOB, world_size=WORLD, before_step=before_step)


def test_without_a_directory_there_is_no_checkpoint(tmp_path: Path) -> None:
    assert find(tmp_path / "missing") is None


def test_the_newest_checkpoint_is_found(tmp_path: Path) -> None:
    for step in (10, 20, 30):
        write(tmp_path, step=step)
    assert find(tmp_path) == 30


def test_a_checkpoint_that_failed_to_load_is_passed_over_with_all_later_ones(
    tmp_path: Path,
) -> None:
    for step in (10, 20, 30):
        write(tmp_path, step=step)
    assert find(tmp_path, before_step=30) == 20
    assert find(tmp_path, before_step=10) is None


def test_a_later_epoch_counts_as_newer_whatever_its_step(tmp_path: Path) -> None:
    write(tmp_path, step=30, epoch=1)
    write(tmp_path, step=20, epoch=2)
    assert find(tmp_path) == 20


def test_a_checkpoint_that_lacks_a_rank_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, step=10)
    write(tmp_path, step=20, ranks=1)
    assert find(tmp_path) == 10


def truncate_tensors(directory: Path, key: SetKey) -> None:
    data_path(directory, key, rank=1).write_bytes(b"tensors")


def remove_tensors(directory: Path, key: SetKey) -> None:
    data_path(directory, key, rank=1).unlink()


def truncate_record(directory: Path, key: SetKey) -> None:
    path = record_path(directory, key, rank=1)
    path.write_bytes(path.read_bytes()[:-10])


def move_record(directory: Path, key: SetKey) -> None:
    record_path(directory, key, rank=1).write_bytes(
        record_path(directory, key, rank=0).read_bytes()
    )


@pytest.mark.parametrize("damage", [truncate_tensors, remove_tensors, truncate_record, move_record])
def test_a_damaged_checkpoint_is_passed_over(tmp_path: Path, damage: object) -> None:
    write(tmp_path, step=10)
    key = write(tmp_path, step=20)
    assert callable(damage)
    damage(tmp_path, key)
    assert find(tmp_path) == 10


def test_a_checkpoint_of_another_job_or_size_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, step=10)
    assert find_checkpoint(tmp_path, job="other", world_size=WORLD) is None
    assert find_checkpoint(tmp_path, job=JOB, world_size=WORLD + 1) is None

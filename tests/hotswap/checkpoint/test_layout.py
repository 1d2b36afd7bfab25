"""Tests of hotswap.checkpoint.layout."""

from pathlib import Path

import pytest

from hotswap.checkpoint.layout import (
    SetKey,
    data_path,
    list_recorded_ranks,
    list_sets,
    record_path,
    set_directory,
)

KEY = SetKey(step=1204, epoch=3)


def test_files_of_a_rank_lie_in_the_directory_of_their_set(tmp_path: Path) -> None:
    where = tmp_path / "step-000000001204-epoch-000003"
    assert set_directory(tmp_path, KEY) == where
    assert data_path(tmp_path, KEY, rank=7) == where / "rank-00007.safetensors"
    assert record_path(tmp_path, KEY, rank=7) == where / "rank-00007.json"


def test_sets_are_listed_by_age_a_later_epoch_being_younger(tmp_path: Path) -> None:
    ages = [(1, 100), (1, 1_000_000_000_000), (3, 90), (3, 95), (1_000_000, 5)]
    keys = [SetKey(epoch=epoch, step=step) for epoch, step in ages]
    for key in reversed(keys):
        set_directory(tmp_path, key).mkdir()
    assert list_sets(tmp_path) == keys


def test_what_is_not_a_set_is_not_listed(tmp_path: Path) -> None:
    for name in ("step-12-epoch-1", "notes", "step-000000000001-epoch-000001.old", ".tmp"):
        (tmp_path / name).mkdir()
    assert list_sets(tmp_path) == []


def test_ranks_are_listed_by_their_records_alone(tmp_path: Path) -> None:
    set_directory(tmp_path, KEY).mkdir()
    for rank in (12, 3):
        record_path(tmp_path, KEY, rank=rank).touch()
    data_path(tmp_path, KEY, rank=5).touch()
    (set_directory(tmp_path, KEY) / ".rank-00006.json.x.tmp").touch()
    assert list_recorded_ranks(tmp_path, KEY) == [3, 12]


@pytest.mark.parametrize("rank", [0, 99_999, 100_000])
def test_a_record_is_found_under_the_name_it_is_written_to(tmp_path: Path, rank: int) -> None:
    set_directory(tmp_path, KEY).mkdir()
    record_path(tmp_path, KEY, rank=rank).touch()
    assert list_recorded_ranks(tmp_path, KEY) == [rank]


def test_a_directory_that_does_not_exist_holds_nothing(tmp_path: Path) -> None:
    assert list_sets(tmp_path / "missing") == []
    assert list_recorded_ranks(tmp_path / "missing", KEY) == []

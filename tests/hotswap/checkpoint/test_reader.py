"""Tests of hotswap.checkpoint.reader."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hotswap.checkpoint.layout import SetKey, data_path, record_path
from hotswap.checkpoint.reader import (
    LatestLoadable,
    LoadedRank,
    complete_steps,
    highest_epoch,
    latest_loadable,
    load_rank,
)
from hotswap.errors import CheckpointDamaged, CheckpointMissing
from hotswap.transfer.buffers import byte_view
from hotswap.transfer.manifest import SMALL_STATE

SaveSet = Callable[..., None]
KEY = SetKey(step=10, epoch=1)


def flip(path: Path, *, byte: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[byte] ^= 1 << bit
    path.write_bytes(data)


def place_of(path: Path, needle: bytes) -> int:
    place = path.read_bytes().find(needle)
    assert place >= 0
    return place


def test_a_rank_is_loaded_as_it_was_captured(
    directory: Path, save_set: SaveSet, assert_holds: Callable[[LoadedRank, int], None]
) -> None:
    save_set(step=10)
    for rank in (0, 1):
        loaded = load_rank(directory, step=10, rank=rank)
        assert_holds(loaded, 1000 + rank)
        assert (loaded.key, loaded.manifest.rank, loaded.manifest.job) == (KEY, rank, "gpt")


def test_loaded_tensors_do_not_depend_on_the_file(directory: Path, save_set: SaveSet) -> None:
    save_set(step=10)
    loaded = load_rank(directory, step=10, rank=0)
    before = loaded.units["layer.weight"].clone()
    path = data_path(directory, KEY, rank=0)
    path.write_bytes(bytes(path.stat().st_size))
    loaded.units["layer.weight/step"].fill_(7)
    assert loaded.units["layer.weight"].equal(before)


def test_complete_steps_are_those_that_every_rank_has(directory: Path, save_set: SaveSet) -> None:
    for step in (10, 30, 20):
        save_set(step=step)
    save_set(step=40, world_size=3)
    record_path(directory, SetKey(step=20, epoch=1), rank=1).unlink()
    assert complete_steps(directory, world_size=2) == [10, 30]
    assert complete_steps(directory, world_size=3) == [40]
    assert complete_steps(directory / "missing", world_size=2) == []


def test_the_latest_epoch_of_a_step_is_loaded_unless_one_is_named(
    directory: Path, save_set: SaveSet
) -> None:
    save_set(step=10, epoch=1)
    save_set(step=10, epoch=4)
    assert load_rank(directory, step=10, rank=0).key.epoch == 4
    assert load_rank(directory, step=10, rank=0, epoch=1).key.epoch == 1
    assert complete_steps(directory, world_size=2) == [10]


def test_the_highest_epoch_is_that_of_any_set(directory: Path, save_set: SaveSet) -> None:
    assert highest_epoch(directory) is None
    save_set(step=20, epoch=3)
    save_set(step=10, epoch=5)
    assert highest_epoch(directory) == 5


@pytest.mark.parametrize(("step", "rank", "epoch"), [(11, 0, None), (10, 2, None), (10, 0, 2)])
def test_what_is_not_there_is_missing(
    directory: Path, save_set: SaveSet, step: int, rank: int, epoch: int | None
) -> None:
    save_set(step=10)
    with pytest.raises(CheckpointMissing, match=f"rank {rank}"):
        load_rank(directory, step=step, rank=rank, epoch=epoch)


@pytest.mark.parametrize("name", ["layer.weight", "head.weight", "mask", SMALL_STATE])
def test_one_flipped_bit_names_the_tensor(directory: Path, save_set: SaveSet, name: str) -> None:
    save_set(step=10)
    path = data_path(directory, KEY, rank=0)
    loaded = load_rank(directory, step=10, rank=0)
    tensors = {**loaded.units, **loaded.buffers}
    content = loaded.small_state if name == SMALL_STATE else bytes(byte_view(tensors[name]))
    flip(path, byte=place_of(path, content), bit=3)
    with pytest.raises(CheckpointDamaged, match=name) as caught:
        load_rank(directory, step=10, rank=0)
    assert caught.value.tensors == (name,)
    load_rank(directory, step=10, rank=1)


@pytest.mark.parametrize("file", [data_path, record_path], ids=["tensor file", "record"])
def test_a_flipped_bit_anywhere_is_noticed(
    directory: Path, save_set: SaveSet, file: Callable[..., Path]
) -> None:
    save_set(step=10, world_size=1)
    path = file(directory, KEY, rank=0)
    whole = path.read_bytes()
    unnoticed = []
    with path.open("r+b", buffering=0) as storage:
        for place, byte in enumerate(whole):
            os.pwrite(storage.fileno(), bytes([byte ^ 1 << place % 8]), place)
            with contextlib.suppress(CheckpointDamaged):
                load_rank(directory, step=10, rank=0)
                unnoticed.append((place, whole[place - 20 : place + 20]))
            os.pwrite(storage.fileno(), bytes([byte]), place)
    assert unnoticed == []
    load_rank(directory, step=10, rank=0)


@pytest.mark.parametrize("nbytes", [0, 1, 7, 8, 100, -1])
def test_a_torn_tensor_file_is_damaged(directory: Path, save_set: SaveSet, nbytes: int) -> None:
    save_set(step=10)
    path = data_path(directory, KEY, rank=1)
    path.write_bytes(path.read_bytes()[:nbytes])
    with pytest.raises(CheckpointDamaged, match=r"rank-00001\.safetensors.*bytes instead of"):
        load_rank(directory, step=10, rank=1)


def test_a_tensor_file_that_is_gone_is_damaged(directory: Path, save_set: SaveSet) -> None:
    save_set(step=10)
    data_path(directory, KEY, rank=1).unlink()
    with pytest.raises(CheckpointDamaged, match=r"rank-00001\.safetensors"):
        load_rank(directory, step=10, rank=1)


def test_the_newest_set_that_can_be_loaded_is_found(directory: Path, save_set: SaveSet) -> None:
    for step in (10, 20):
        save_set(step=step)
    found = latest_loadable(directory, world_size=2)
    assert found == LatestLoadable(found=SetKey(step=20, epoch=1), skipped=())


def test_damaged_and_unfinished_sets_are_passed_over_and_named(
    directory: Path, save_set: SaveSet
) -> None:
    for step in (10, 20, 30, 40, 50):
        save_set(step=step)
    record_path(directory, SetKey(step=50, epoch=1), rank=1).unlink()
    data_path(directory, SetKey(step=40, epoch=1), rank=1).write_bytes(b"torn")
    weights = data_path(directory, SetKey(step=30, epoch=1), rank=0)
    flip(weights, byte=place_of(weights, b"small state"))
    record_path(directory, SetKey(step=20, epoch=1), rank=0).write_bytes(b"{")
    result = latest_loadable(directory, world_size=2)
    assert result.found == KEY
    assert [skipped.key.step for skipped in result.skipped] == [50, 40, 30, 20]
    problems = [skipped.problem for skipped in result.skipped]
    assert problems[0] == "rank 1 of 2 has no record"
    assert "rank-00001.safetensors" in problems[1]
    assert SMALL_STATE in problems[2]
    assert "rank-00000.json" in problems[3]


def test_nothing_loadable_is_told_apart_from_no_checkpoint_at_all(
    directory: Path, save_set: SaveSet
) -> None:
    nothing = latest_loadable(directory, world_size=2)
    assert nothing == LatestLoadable(found=None, skipped=())
    save_set(step=10)
    data_path(directory, KEY, rank=0).write_bytes(b"")
    broken = latest_loadable(directory, world_size=2)
    assert broken.found is None
    assert [skipped.key for skipped in broken.skipped] == [KEY]


def test_a_set_of_another_number_of_ranks_is_passed_over(
    directory: Path, save_set: SaveSet
) -> None:
    save_set(step=10)
    save_set(step=20, world_size=3)
    result = latest_loadable(directory, world_size=2)
    assert result.found == KEY
    assert result.skipped[0].problem == "it is of a job of 3 ranks, not 2"


def test_ranks_that_each_look_at_their_own_files_can_agree(
    directory: Path, save_set: SaveSet
) -> None:
    for step in (10, 20, 30):
        save_set(step=step)
    data_path(directory, SetKey(step=30, epoch=1), rank=0).write_bytes(b"")
    data_path(directory, SetKey(step=20, epoch=1), rank=1).write_bytes(b"")
    limit: SetKey | None = None
    rounds = 0
    while True:
        found = [
            latest_loadable(directory, world_size=2, ranks=[rank], not_after=limit).found
            for rank in (0, 1)
        ]
        rounds += 1
        if found[0] == found[1]:
            break
        limit = min(key for key in found if key is not None)
    assert found == [KEY, KEY]
    assert rounds == 3

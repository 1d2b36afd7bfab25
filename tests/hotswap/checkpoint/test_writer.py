"""Tests of hotswap.checkpoint.writer: what a training job sees of it."""

import dataclasses
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import torch

from hotswap.checkpoint.layout import SetKey, list_sets
from hotswap.checkpoint.reader import LoadedRank, complete_steps, load_rank
from hotswap.checkpoint.writer import CheckpointWriter
from hotswap.errors import CheckpointFailed, CheckpointOutdated, UnsupportedTensor
from hotswap.limits import Limits
from hotswap.transfer.atomic import write_atomically

MakeWriter = Callable[..., CheckpointWriter]
MakeState = Callable[[int], dict[str, Any]]
Save = Callable[..., bool]
WAIT_S = 20.0


class SlowDisk:
    """A disk that begins to write a tensor file and then waits to be let go on."""

    def __init__(self) -> None:
        """Begin with nothing written."""
        self.busy = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, path: Path, chunks: Iterable[bytes | memoryview]) -> int:
        """Write as `write_atomically` does, when let go on."""
        self.busy.set()
        assert self.go_on.wait(WAIT_S)
        return write_atomically(path, chunks)


def test_a_capture_is_on_the_disk_when_the_writer_is_idle_again(
    make_writer: MakeWriter,
    save: Save,
    directory: Path,
    assert_holds: Callable[[LoadedRank, int], None],
) -> None:
    writer = make_writer()
    assert save(writer, step=10, seed=7, epoch=2)
    assert_holds(load_rank(directory, step=10, rank=0), 7)
    status = writer.status
    assert (status.captured, status.written, status.failed, status.skipped) == (1, 1, 0, 0)
    assert status.last_written == SetKey(step=10, epoch=2)
    assert status.last_error is None
    assert status.last_written_nbytes
    assert status.last_capture_ms
    assert status.last_write_ms


def test_what_was_not_done_yet_is_unknown_and_not_zero(make_writer: MakeWriter) -> None:
    status = make_writer().status
    assert status.last_written is None
    assert status.last_capture_ms is None
    assert status.last_write_ms is None
    assert status.last_written_nbytes is None


def test_training_on_while_it_is_written_does_not_change_the_checkpoint(
    make_writer: MakeWriter,
    make_state: MakeState,
    directory: Path,
    assert_holds: Callable[[LoadedRank, int], None],
) -> None:
    disk = SlowDisk()
    writer = make_writer(write=disk)
    state = make_state(3)
    assert writer.capture(step=10, epoch=1, **state)
    assert disk.busy.wait(WAIT_S)
    for tensor in (*state["units"].values(), *state["buffers"].values()):
        tensor.zero_()
    disk.go_on.set()
    assert writer.wait_idle(timeout_s=WAIT_S)
    assert_holds(load_rank(directory, step=10, rank=0), 3)


def test_a_capture_during_a_write_is_skipped_and_counted(
    make_writer: MakeWriter,
    make_state: MakeState,
    save: Save,
    directory: Path,
    assert_holds: Callable[[LoadedRank, int], None],
) -> None:
    disk = SlowDisk()
    writer = make_writer(write=disk, keep=5)
    assert writer.idle
    assert writer.capture(step=10, epoch=1, **make_state(1))
    assert disk.busy.wait(WAIT_S)
    assert not writer.idle
    for step in (20, 30, 40):
        assert not writer.capture(step=step, epoch=1, **make_state(step))
    disk.go_on.set()
    assert writer.wait_idle(timeout_s=WAIT_S)
    assert save(writer, step=50, seed=5)
    assert writer.status.skipped == 3
    assert complete_steps(directory, world_size=1) == [10, 50]
    assert_holds(load_rank(directory, step=10, rank=0), 1)
    assert_holds(load_rank(directory, step=50, rank=0), 5)


def test_rank_0_keeps_the_newest_sets_only(
    make_writer: MakeWriter, save: Save, directory: Path
) -> None:
    writers = [make_writer(rank=rank, world_size=2, keep=2) for rank in (1, 0)]
    for step in range(10, 60, 10):
        for writer in writers:
            assert save(writer, step=step)
    assert complete_steps(directory, world_size=2) == [40, 50]
    assert len(list_sets(directory)) == 2


def test_sets_that_one_rank_never_finishes_do_not_pile_up_or_push_out_the_complete_one(
    make_writer: MakeWriter, save: Save, directory: Path
) -> None:
    writers = [make_writer(rank=rank, world_size=2, keep=1) for rank in (1, 0)]
    for writer in writers:
        assert save(writer, step=10)
    for step in range(20, 100, 10):
        assert save(writers[1], step=step)
    assert complete_steps(directory, world_size=2) == [10]
    assert [key.step for key in list_sets(directory)] == [10, 80, 90]


def test_an_owner_of_an_older_epoch_writes_nothing(
    make_writer: MakeWriter, save: Save, directory: Path
) -> None:
    save(make_writer(), step=10, epoch=5)
    stale = make_writer()
    assert save(stale, step=11, epoch=4)
    assert isinstance(stale.status.last_error, CheckpointOutdated)
    assert (stale.status.written, stale.status.failed) == (0, 1)
    assert list_sets(directory) == [SetKey(step=10, epoch=5)]


def test_a_checkpoint_is_never_written_twice(
    make_writer: MakeWriter,
    save: Save,
    directory: Path,
    assert_holds: Callable[[LoadedRank, int], None],
) -> None:
    save(make_writer(), step=10, seed=1)
    again = make_writer()
    save(again, step=10, seed=2)
    assert isinstance(again.status.last_error, CheckpointOutdated)
    assert_holds(load_rank(directory, step=10, rank=0), 1)


def test_what_a_checkpoint_cannot_hold_is_refused_at_once(make_writer: MakeWriter) -> None:
    writer = make_writer()
    units = {"w": torch.zeros(1, dtype=torch.complex128)}
    with pytest.raises(UnsupportedTensor, match="complex128"):
        writer.capture(step=1, epoch=1, units=units, buffers={}, small_state=b"")
    assert writer.idle
    assert writer.status.captured == 0


def test_a_name_that_is_both_unit_and_buffer_is_refused(make_writer: MakeWriter) -> None:
    twice = {"w": torch.zeros(1)}
    with pytest.raises(ValueError, match="both unit and buffer: w"):
        make_writer().capture(step=1, epoch=1, units=twice, buffers=twice, small_state=b"")


def test_keeping_nothing_is_refused(make_writer: MakeWriter) -> None:
    with pytest.raises(ValueError, match="keep is 0"):
        make_writer(keep=0)


def test_closing_waits_for_the_pending_checkpoint(
    make_writer: MakeWriter, make_state: MakeState, directory: Path
) -> None:
    disk = SlowDisk()
    writer = make_writer(write=disk)
    writer.capture(step=10, epoch=1, **make_state(0))
    assert disk.busy.wait(WAIT_S)
    disk.go_on.set()
    assert writer.close()
    assert complete_steps(directory, world_size=1) == [10]


def test_closing_does_not_wait_longer_than_its_limit(
    make_writer: MakeWriter, make_state: MakeState
) -> None:
    disk = SlowDisk()
    limits = dataclasses.replace(Limits(), checkpoint_close_s=0.01)
    writer = make_writer(write=disk, limits=limits)
    writer.capture(step=10, epoch=1, **make_state(0))
    assert disk.busy.wait(WAIT_S)
    assert not writer.close()
    error = writer.status.last_error
    assert isinstance(error, CheckpointFailed)
    assert "checkpoint_close_s=0.01" in str(error)
    disk.go_on.set()
    assert writer.wait_idle(timeout_s=WAIT_S)


def test_a_closed_writer_takes_no_more_and_closes_again(
    make_writer: MakeWriter, make_state: MakeState
) -> None:
    writer = make_writer()
    assert writer.close()
    assert not writer.idle
    assert not writer.capture(step=10, epoch=1, **make_state(0))
    assert writer.status.skipped == 1
    assert writer.close()


def test_a_writer_that_never_captured_has_no_thread(make_writer: MakeWriter) -> None:
    before = threading.active_count()
    make_writer()
    assert threading.active_count() == before


def test_its_thread_ends_with_the_writer(make_writer: MakeWriter, save: Save) -> None:
    before = threading.active_count()
    writer = make_writer()
    save(writer, step=10)
    assert threading.active_count() == before + 1
    assert writer.close()
    assert threading.active_count() == before

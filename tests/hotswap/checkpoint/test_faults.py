"""What is left on the disk, and told, when disks fail and processes are killed."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hotswap.checkpoint.layout import SetKey, data_path, list_sets, set_directory
from hotswap.checkpoint.reader import LoadedRank, complete_steps, latest_loadable, load_rank
from hotswap.checkpoint.writer import CheckpointWriter
from hotswap.errors import CheckpointFailed
from hotswap.transfer.atomic import write_atomically

MakeWriter = Callable[..., CheckpointWriter]
Save = Callable[..., bool]
AssertHolds = Callable[[LoadedRank, int], None]
WAIT_S = 60.0


@dataclass(slots=True)
class FullDisk:
    """A disk on which no file whose name ends in one of ``suffixes`` finds room."""

    suffixes: tuple[str, ...] = (".safetensors",)
    error: int = errno.ENOSPC
    tried: list[str] = field(default_factory=list)

    def __call__(self, path: Path, chunks: Iterable[bytes | memoryview]) -> int:
        """Fail after half of the chunks, as a disk does that becomes full."""
        self.tried.append(path.name)
        return write_atomically(path, self._fill(list(chunks), fails=path.suffix in self.suffixes))

    def _fill(
        self, chunks: list[bytes | memoryview], *, fails: bool
    ) -> Iterator[bytes | memoryview]:
        for index, chunk in enumerate(chunks):
            if fails and index == len(chunks) // 2:
                raise OSError(self.error, os.strerror(self.error))
            yield chunk


@pytest.mark.parametrize("suffixes", [(".safetensors",), (".json",)], ids=["tensor file", "record"])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_disk_that_fails_is_told_and_leaves_older_checkpoints_alone(
    make_writer: MakeWriter,
    save: Save,
    directory: Path,
    assert_holds: AssertHolds,
    suffixes: tuple[str, ...],
    error: int,
) -> None:
    disk = FullDisk(suffixes=(), error=error)
    writer = make_writer(write=disk, keep=1)
    save(writer, step=10, seed=1)
    disk.suffixes = suffixes
    assert save(writer, step=20, seed=2)
    status = writer.status
    assert isinstance(status.last_error, CheckpointFailed)
    assert os.strerror(error) in str(status.last_error)
    assert (status.written, status.failed) == (1, 1)
    assert status.last_written == SetKey(step=10, epoch=1)
    assert complete_steps(directory, world_size=1) == [10]
    assert_holds(load_rank(directory, step=10, rank=0), 1)


def test_a_failed_write_gives_the_room_back(
    make_writer: MakeWriter, save: Save, directory: Path
) -> None:
    for suffix in (".safetensors", ".json"):
        save(make_writer(write=FullDisk(suffixes=(suffix,))), step=10)
        assert list_sets(directory) == []
        assert [entry for entry in directory.rglob("*") if entry.is_file()] == []


def test_a_failed_write_leaves_the_files_of_other_ranks_alone(
    make_writer: MakeWriter, save: Save, directory: Path
) -> None:
    save(make_writer(rank=1, world_size=2), step=10)
    save(make_writer(rank=0, world_size=2, write=FullDisk()), step=10)
    names = sorted(
        entry.name for entry in set_directory(directory, SetKey(step=10, epoch=1)).iterdir()
    )
    assert names == ["rank-00001.json", "rank-00001.safetensors"]


def test_a_later_capture_succeeds_once_there_is_room_again(
    make_writer: MakeWriter, save: Save, directory: Path, assert_holds: AssertHolds
) -> None:
    disk = FullDisk()
    writer = make_writer(write=disk)
    save(writer, step=10)
    assert writer.status.last_error is not None
    disk.suffixes = ()
    save(writer, step=20, seed=4)
    assert writer.status.last_error is None
    assert (writer.status.written, writer.status.failed) == (1, 1)
    assert_holds(load_rank(directory, step=20, rank=0), 4)
    # The step that failed can be written as well: nothing of it was left.
    save(writer, step=10)
    assert writer.status.last_error is None


def test_a_directory_that_cannot_be_made_is_told(
    make_writer: MakeWriter, save: Save, directory: Path
) -> None:
    directory.parent.mkdir(parents=True)
    directory.write_text("a file is in the way")
    writer = make_writer()
    assert save(writer, step=10)
    assert isinstance(writer.status.last_error, CheckpointFailed)
    assert directory.read_text() == "a file is in the way"


def test_an_error_nobody_foresaw_is_told_and_does_not_end_the_thread(
    make_writer: MakeWriter, save: Save, directory: Path
) -> None:
    broken = [True]

    def write(path: Path, chunks: Iterable[bytes | memoryview]) -> int:
        if broken:
            raise KeyError(broken.pop())
        return write_atomically(path, chunks)

    writer = make_writer(write=write)
    save(writer, step=10)
    assert isinstance(writer.status.last_error, CheckpointFailed)
    assert "KeyError" in str(writer.status.last_error)
    save(writer, step=20)
    assert complete_steps(directory, world_size=1) == [20]


PREAMBLE = """
import os, pathlib, resource, signal, sys
import torch
from hotswap.checkpoint.writer import CheckpointWriter
from hotswap.limits import Limits
from hotswap.transfer.atomic import write_atomically

root = pathlib.Path(sys.argv[1])
units = {"w": torch.arange(1 << 18, dtype=torch.float32)}

def make(directory, *, rank=0, world_size=1, **changes):
    return CheckpointWriter(
        directory=directory, job="gpt", rank=rank, world_size=world_size, limits=Limits(), **changes
    )

def save(writer, step):
    writer.capture(step=step, epoch=1, units=units, buffers={}, small_state=b"s")
    assert writer.wait_idle(timeout_s=30)

def exit_codes(pids):
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
"""


def run(script: str, root: Path) -> list[str]:
    """Run ``script`` in a process of its own and return the words that it prints."""
    ended = subprocess.run(
        [sys.executable, "-c", PREAMBLE + textwrap.dedent(script), root],
        check=False,
        timeout=WAIT_S,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    sys.stderr.write(ended.stderr)
    assert ended.returncode == 0
    return ended.stdout.splitlines()[-1].split()


def test_a_real_limit_on_the_disk_is_survived(directory: Path) -> None:
    script = """
        writer = make(root)
        save(writer, 10)
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, hard))
        save(writer, 20)
        failed = writer.status
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        save(writer, 30)
        print(failed.last_error.code, failed.written, writer.status.last_error)
    """
    assert run(script, directory) == ["checkpoint_failed", "1", "None"]
    assert complete_steps(directory, world_size=1) == [10, 30]


def test_a_process_killed_while_writing_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    script = """
        def die():
            os.kill(os.getpid(), signal.SIGKILL)

        def dying_at(case):
            def half(chunks):
                for chunk in chunks:
                    yield chunk[: len(chunk) // 2]
                    if len(chunk) > 200:
                        die()
            def write(path, chunks):
                if (case, path.suffix) == ("before-record", ".json"):
                    die()
                return write_atomically(path, half(chunks) if case == path.suffix else chunks)
            return write

        def fork(case):
            pid = os.fork()
            if pid == 0:
                save(make(root / case), 10)
                save(make(root / case, write=dying_at(case)), 20)
                os._exit(1)
            return pid

        print(*exit_codes([fork(case) for case in (".safetensors", "before-record", ".json")]))
    """
    assert run(script, tmp_path) == [str(-signal.SIGKILL)] * 3
    for case in (".safetensors", "before-record", ".json"):
        result = latest_loadable(tmp_path / case, world_size=1)
        assert result.found == SetKey(step=10, epoch=1)
        assert [(skipped.key.step, skipped.problem) for skipped in result.skipped] == [
            (20, "no rank has a record")
        ]
        data = data_path(tmp_path / case, SetKey(step=20, epoch=1), rank=0)
        assert data.exists() == (case != ".safetensors")
        assert list(data.parent.glob(".*.tmp")) or case == "before-record"


def test_the_writer_after_a_kill_goes_on_and_clears_away(
    make_writer: MakeWriter, save: Save, directory: Path
) -> None:
    save(make_writer(keep=1), step=10)
    debris = set_directory(directory, SetKey(step=20, epoch=1))
    debris.mkdir()
    (debris / ".rank-00000.safetensors.abc.tmp").write_bytes(bytes(1000))
    save(make_writer(keep=1), step=20, epoch=2)
    assert list_sets(directory) == [SetKey(step=20, epoch=2)]
    assert not debris.exists()


def test_ranks_in_processes_of_their_own_complete_sets_together(directory: Path) -> None:
    # They wait for each other before each step, as the vote has them do: only where all are idle
    # is a step captured.
    script = """
        import multiprocessing

        vote = multiprocessing.get_context("fork").Barrier(3, timeout=30)

        def fork(rank):
            pid = os.fork()
            if pid == 0:
                writer = make(root, rank=rank, world_size=3, keep=2)
                units["w"].fill_(rank)
                for step in range(1, 21):
                    vote.wait()
                    save(writer, step)
                status = writer.status
                print(status.last_error, file=sys.stderr)
                os._exit(0 if (status.written, status.last_error) == (20, None) else 1)
            return pid

        print(*exit_codes([fork(rank) for rank in range(3)]))
    """
    assert run(script, directory) == ["0", "0", "0"]
    assert latest_loadable(directory, world_size=3).found == SetKey(step=20, epoch=1)
    values = [load_rank(directory, step=20, rank=rank).units["w"][7].item() for rank in range(3)]
    assert values == [0.0, 1.0, 2.0]


def test_a_rank_that_falls_behind_is_told_that_its_set_was_cleared_away(
    make_writer: MakeWriter, save: Save, directory: Path
) -> None:
    ahead = make_writer(rank=0, world_size=2)

    def overtaken(path: Path, chunks: Iterable[bytes | memoryview]) -> int:
        for step in (20, 30, 40):
            save(ahead, step=step)
        return write_atomically(path, chunks)

    behind = make_writer(rank=1, world_size=2, write=overtaken)
    save(ahead, step=10)
    save(behind, step=10)
    error = behind.status.last_error
    assert isinstance(error, CheckpointFailed)
    assert "step 10" in str(error)
    assert "cleared away" in str(error)
    assert [key.step for key in list_sets(directory)] == [30, 40]

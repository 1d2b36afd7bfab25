"""Tests of hotswap.transfer.atomic."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hotswap.transfer.atomic import write_atomically

DIES_WHILE_WRITING = """
import os, pathlib, signal, sys
from hotswap.transfer.atomic import write_atomically

def chunks():
    yield b"half of the new "
    os.kill(os.getpid(), signal.SIGKILL)

write_atomically(pathlib.Path(sys.argv[1]), chunks())
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file that is there already."""
    path = tmp_path / "state"
    path.write_bytes(b"before")
    return path


def names_beside(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


def test_chunks_are_written_one_after_another(path: Path) -> None:
    assert write_atomically(path, [b"ab", memoryview(b"cd"), b""]) == 4
    assert path.read_bytes() == b"abcd"
    assert names_beside(path) == ["state"]


def test_more_than_one_write_call_can_take_is_written_whole(path: Path) -> None:
    data = os.urandom(20 << 20)
    assert write_atomically(path, [data]) == len(data)
    assert path.read_bytes() == data


def test_an_error_leaves_the_old_file_and_nothing_else(path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise OSError(5, "input/output error")

    with pytest.raises(OSError, match="input/output"):
        write_atomically(path, chunks())
    assert path.read_bytes() == b"before"
    assert names_beside(path) == ["state"]


def test_a_file_size_limit_leaves_the_old_file_and_nothing_else(path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_atomically(path, [bytes(2 << 20)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"before"
    assert names_beside(path) == ["state"]


def test_a_process_killed_while_writing_leaves_the_old_file(path: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", DIES_WHILE_WRITING, path],
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert killed.returncode == -9
    assert path.read_bytes() == b"before"
    left = [name for name in names_beside(path) if name != "state"]
    assert [name.endswith(".tmp") for name in left] == [True]


def test_a_missing_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "missing" / "state", [b"x"])

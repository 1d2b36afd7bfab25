"""Tests of hotswap.transfer.direct."""

import errno
import fcntl
import mmap
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hotswap.transfer.direct import BLOCK_NBYTES, DIRECT_NBYTES_MIN, write_whole

TAIL = 100
Written = list[tuple[bool, int]]


@pytest.fixture
def memory() -> memoryview:
    """Return writable memory that begins at a page, and ends within one."""
    pages = mmap.mmap(-1, DIRECT_NBYTES_MIN + BLOCK_NBYTES)
    pages[:] = os.urandom(len(pages))
    return memoryview(pages)[: DIRECT_NBYTES_MIN + TAIL]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    """Return, for each write, whether it passed the page cache by, and its bytes."""
    calls: Written = []
    write = os.write

    def noted(descriptor: int, data: bytes | memoryview) -> int:
        count = write(descriptor, data)
        direct = bool(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_DIRECT)
        calls.append((direct, count))
        return count

    monkeypatch.setattr(os, "write", noted)
    return calls


@pytest.fixture
def descriptor(tmp_path: Path) -> Iterator[int]:
    """Return a new file, opened as others open files."""
    descriptor = os.open(tmp_path / "file", os.O_CREAT | os.O_RDWR)
    yield descriptor
    os.close(descriptor)


def content(descriptor: int) -> bytes:
    return os.pread(descriptor, 8 << 20, 0)


def test_what_lies_at_whole_blocks_passes_the_page_cache_by(
    descriptor: int, memory: memoryview, written: Written
) -> None:
    header = memoryview(bytes(BLOCK_NBYTES))
    assert write_whole(descriptor, header, position=0) == BLOCK_NBYTES
    assert write_whole(descriptor, memory, position=BLOCK_NBYTES) == memory.nbytes
    assert written == [(False, BLOCK_NBYTES), (True, DIRECT_NBYTES_MIN), (False, TAIL)]
    assert content(descriptor) == bytes(header) + bytes(memory)


@pytest.mark.parametrize(
    ("begin", "cut", "position"),
    [
        pytest.param(0, lambda data: memoryview(bytes(data)), 0, id="memory that is not writable"),
        pytest.param(0, lambda data: data[8:], 0, id="memory within a page"),
        pytest.param(8, lambda data: data, 8, id="a place within a block"),
        pytest.param(0, lambda data: data[:BLOCK_NBYTES], 0, id="little"),
        pytest.param(0, lambda data: data[:0], 0, id="nothing"),
    ],
)
def test_everything_else_is_written_as_usual(
    descriptor: int,
    memory: memoryview,
    written: Written,
    begin: int,
    cut: Callable[[memoryview], memoryview],
    position: int,
) -> None:
    data = cut(memory)
    os.write(descriptor, bytes(begin))
    assert write_whole(descriptor, data, position=position) == data.nbytes
    assert not any(direct for direct, _ in written)
    assert content(descriptor) == bytes(begin) + bytes(data)


def test_a_file_system_that_refuses_is_written_as_usual(
    descriptor: int, memory: memoryview, monkeypatch: pytest.MonkeyPatch
) -> None:
    control = fcntl.fcntl

    def refuse(descriptor: int, command: int, argument: int = 0) -> int:
        if command == fcntl.F_SETFL and argument & os.O_DIRECT:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return control(descriptor, command, argument)

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    assert write_whole(descriptor, memory, position=0) == memory.nbytes
    assert content(descriptor) == bytes(memory)


def test_a_write_that_comes_to_an_early_end_is_gone_on_with(
    descriptor: int, memory: memoryview, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    calls: list[int] = []

    def short(descriptor: int, data: memoryview) -> int:
        calls.append(data.nbytes)
        if len(calls) == 1:
            return write(descriptor, data[:BLOCK_NBYTES])
        if len(calls) == 2:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", short)
    assert write_whole(descriptor, memory, position=0) == memory.nbytes
    assert content(descriptor) == bytes(memory)


def test_a_full_disk_is_told(
    descriptor: int, memory: memoryview, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(descriptor, memory, position=0)
    assert not fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_DIRECT

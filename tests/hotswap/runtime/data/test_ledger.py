"""Tests of hotswap.runtime.data.ledger."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.errors import LedgerUnreadable, LedgerUnwritable
from hotswap.limits import Limits
from hotswap.runtime.data.ledger import LedgerRecord, LedgerWriter, read_ledger


def record(step: int, *, epoch: int = 1, rank: int = 3) -> LedgerRecord:
    return LedgerRecord(epoch=epoch, step=step, rank=rank, sample_ids=(step, 100 + step))


def append(writer: LedgerWriter, *records: LedgerRecord) -> None:
    for each in records:
        writer.append(epoch=each.epoch, step=each.step, rank=each.rank, sample_ids=each.sample_ids)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return where a ledger may be; nothing is there yet."""
    return tmp_path / "job" / "ledger"


@pytest.fixture
def writer(directory: Path) -> Iterator[LedgerWriter]:
    """Yield the writer of rank 3."""
    writer = LedgerWriter(directory=directory, rank=3, owner="node-3")
    yield writer
    writer.close()


@contextmanager
def disk_full_after(nbytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_what_is_written_is_read_in_order(writer: LedgerWriter, directory: Path) -> None:
    append(writer, record(0), record(1), record(2))
    assert read_ledger(directory=directory).records == (record(0), record(1), record(2))
    assert read_ledger(directory=directory).torn == ()


def test_a_record_is_one_line_that_a_person_can_read(writer: LedgerWriter) -> None:
    append(writer, record(7))
    assert writer.path.name == "rank-00003.node-3.jsonl"
    assert writer.path.read_text() == '{"epoch":1,"step":7,"rank":3,"sample_ids":[7,107]}\n'


def test_a_record_outlives_its_process_without_a_close(directory: Path) -> None:
    pid = os.fork()
    if pid == 0:
        append(LedgerWriter(directory=directory, rank=3, owner="node-3"), record(0))
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert read_ledger(directory=directory).records == (record(0),)


def test_every_owner_of_a_rank_has_a_file_of_its_own(writer: LedgerWriter, directory: Path) -> None:
    append(writer, record(0))
    successor = LedgerWriter(directory=directory, rank=3, owner="standby-0")
    append(successor, record(1, epoch=2))
    successor.close()
    assert len(list(directory.iterdir())) == 2
    assert set(read_ledger(directory=directory).records) == {record(0), record(1, epoch=2)}


def test_an_owner_that_comes_back_goes_on_in_its_file(directory: Path) -> None:
    for step in range(2):
        writer = LedgerWriter(directory=directory, rank=3, owner="node-3")
        append(writer, record(step))
        writer.close()
    assert read_ledger(directory=directory).records == (record(0), record(1))


@given(cut=st.integers(min_value=1, max_value=50))
def test_a_line_torn_by_a_death_is_reported_and_the_rest_is_read(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    directory = tmp_path_factory.mktemp("ledger")
    writer = LedgerWriter(directory=directory, rank=3, owner="node-3")
    append(writer, record(0), record(1))
    writer.close()
    os.truncate(writer.path, writer.path.stat().st_size - cut)
    contents = read_ledger(directory=directory)
    assert contents.records == (record(0),)
    assert contents.torn == (writer.path,)


def test_a_torn_line_is_cut_off_before_its_owner_goes_on(directory: Path) -> None:
    writer = LedgerWriter(directory=directory, rank=3, owner="node-3")
    append(writer, record(0), record(1))
    writer.close()
    os.truncate(writer.path, writer.path.stat().st_size - 5)
    writer = LedgerWriter(directory=directory, rank=3, owner="node-3")
    append(writer, record(1))
    writer.close()
    contents = read_ledger(directory=directory)
    assert contents.records == (record(0), record(1))
    assert contents.torn == ()


@pytest.mark.parametrize(
    "line",
    [
        b"garbage\n",
        b"\n",
        b'{"epoch":1,"step":7,"rank":3}\n',
        b'{"epoch":1,"step":"7","rank":3,"sample_ids":[]}\n',
        b'{"epoch":1,"step":7,"rank":3,"sample_ids":[],"more":1}\n',
        b'{"epoch":1,"st{"epoch":1,"step":7,"rank":3,"sample_ids":[]}\n',
    ],
)
def test_a_line_that_is_no_record_is_refused_by_file_and_number(
    writer: LedgerWriter, directory: Path, line: bytes
) -> None:
    append(writer, record(0))
    with writer.path.open("ab") as file:
        file.write(line)
    append(writer, record(1))
    with pytest.raises(LedgerUnreadable, match=r"rank-00003\.node-3\.jsonl, line 2"):
        read_ledger(directory=directory)


def test_a_file_without_lines_is_not_read_into_memory(
    writer: LedgerWriter, directory: Path
) -> None:
    with writer.path.open("ab") as file:
        file.write(b"1" * 1_000)
    with pytest.raises(LedgerUnreadable, match="line 1"):
        read_ledger(directory=directory, limits=Limits(ledger_record_nbytes_max=99))


def test_a_directory_that_is_not_there_is_refused(directory: Path) -> None:
    with pytest.raises(LedgerUnreadable, match="not a directory"):
        read_ledger(directory=directory)


def test_a_full_disk_leaves_the_file_as_it_was_and_says_what_to_do(
    writer: LedgerWriter, directory: Path
) -> None:
    append(writer, record(0))
    before = writer.path.read_bytes()
    # the next record is begun, and does not fit
    with disk_full_after(len(before) + 20), pytest.raises(LedgerUnwritable, match="make room"):
        append(writer, record(1))
    assert writer.path.read_bytes() == before
    append(writer, record(1))
    assert read_ledger(directory=directory).records == (record(0), record(1))


def test_a_device_without_space_is_a_full_disk_too(directory: Path) -> None:
    directory.mkdir(parents=True)
    (directory / "rank-00003.node-3.jsonl").symlink_to("/dev/full")
    writer = LedgerWriter(directory=directory, rank=3, owner="node-3")
    with pytest.raises(LedgerUnwritable, match="No space left on device"):
        append(writer, record(0))
    with pytest.raises(LedgerUnwritable, match="can't be written"):
        writer.close()


def test_a_file_that_is_no_ledger_is_left_alone(writer: LedgerWriter, directory: Path) -> None:
    writer.path.write_bytes(b"1" * 1_000)
    with pytest.raises(LedgerUnwritable, match="no record"):
        LedgerWriter(
            directory=directory, rank=3, owner="node-3", limits=Limits(ledger_record_nbytes_max=99)
        )
    assert writer.path.read_bytes() == b"1" * 1_000


def test_a_directory_that_can_t_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LedgerUnwritable, match="can't be written"):
        LedgerWriter(directory=tmp_path / "file" / "ledger", rank=0, owner="node-0")


@pytest.mark.parametrize("owner", ["", "../node", "a b", "-x", "x" * 101])
def test_a_name_that_is_no_part_of_a_file_s_name_is_refused(directory: Path, owner: str) -> None:
    with pytest.raises(LedgerUnwritable, match="file's name"):
        LedgerWriter(directory=directory, rank=0, owner=owner)


def test_a_record_over_the_limit_is_refused_by_the_limit_s_name(directory: Path) -> None:
    writer = LedgerWriter(
        directory=directory, rank=3, owner="node-3", limits=Limits(ledger_record_nbytes_max=60)
    )
    append(writer, record(0))
    with pytest.raises(LedgerUnwritable, match="ledger_record_nbytes_max"):
        writer.append(epoch=1, step=1, rank=3, sample_ids=tuple(range(100)))
    append(writer, record(1))
    writer.close()
    assert read_ledger(directory=directory).records == (record(0), record(1))


def test_a_closed_ledger_takes_no_records(writer: LedgerWriter) -> None:
    writer.close()
    writer.close()
    with pytest.raises(LedgerUnwritable):
        append(writer, record(0))

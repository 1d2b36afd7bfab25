"""Tests of hotswap.checkpoint.record."""

from pathlib import Path

import msgspec
import pytest
import torch

from hotswap.checkpoint import record as module
from hotswap.checkpoint.layout import SetKey, record_path
from hotswap.checkpoint.record import (
    FORMAT_VERSION,
    Record,
    encode_record,
    read_record,
    read_summary,
)
from hotswap.errors import CheckpointDamaged, CheckpointMissing
from hotswap.transfer.manifest import build_manifest

KEY = SetKey(step=10, epoch=2)


@pytest.fixture
def record() -> Record:
    """Return the record of rank 1 in set `KEY`."""
    manifest = build_manifest(
        job="gpt",
        rank=1,
        epoch=2,
        step=10,
        units={"w": torch.ones(3)},
        buffers={},
        small_state=b"s",
    )
    return Record(format_version=FORMAT_VERSION, world_size=4, data_nbytes=100, manifest=manifest)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the record belongs."""
    path = record_path(tmp_path, KEY, rank=1)
    path.parent.mkdir()
    return path


def test_a_record_is_read_as_it_was_written(tmp_path: Path, path: Path, record: Record) -> None:
    path.write_bytes(encode_record(record))
    assert read_record(tmp_path, KEY, rank=1) == record


def test_a_summary_is_read_out_of_the_same_file(tmp_path: Path, path: Path, record: Record) -> None:
    path.write_bytes(encode_record(record))
    summary = read_summary(tmp_path, KEY, rank=1)
    assert (summary.world_size, summary.manifest.job, summary.manifest.step) == (4, "gpt", 10)


def test_a_record_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CheckpointMissing, match="rank 1 has no checkpoint at step 10, epoch 2"):
        read_record(tmp_path, KEY, rank=1)


def test_a_record_of_another_format_is_not_guessed_at(
    tmp_path: Path, path: Path, record: Record
) -> None:
    path.write_bytes(encode_record(msgspec.structs.replace(record, format_version=2)))
    with pytest.raises(CheckpointDamaged, match="format 2, this version reads 1"):
        read_record(tmp_path, KEY, rank=1)


def test_a_changed_record_does_not_fit_its_seal(tmp_path: Path, path: Path, record: Record) -> None:
    path.write_bytes(encode_record(record).replace(b'"world_size":4', b'"world_size":5'))
    with pytest.raises(CheckpointDamaged, match="digest does not belong"):
        read_summary(tmp_path, KEY, rank=1)


def test_a_record_under_another_rank_is_not_taken(
    tmp_path: Path, path: Path, record: Record
) -> None:
    path.with_name("rank-00003.json").write_bytes(encode_record(record))
    with pytest.raises(CheckpointDamaged, match="of rank 1, step 10, epoch 2, and was moved here"):
        read_record(tmp_path, KEY, rank=3)


def test_a_record_above_its_limit_is_not_read(
    tmp_path: Path, path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(encode_record(record))
    monkeypatch.setattr(module, "RECORD_NBYTES_MAX", 100)
    with pytest.raises(CheckpointDamaged, match="larger than 100 bytes"):
        read_record(tmp_path, KEY, rank=1)


@pytest.mark.parametrize("content", [b"", b"{}", b"\x00\xff", b"null"])
def test_what_is_not_a_record_is_damaged(tmp_path: Path, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(CheckpointDamaged, match=r"rank-00001\.json"):
        read_record(tmp_path, KEY, rank=1)

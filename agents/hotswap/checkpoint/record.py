"""The record that makes a rank's checkpoint valid: its manifest, and what to expect on the disk.

A record is JSON with sorted keys, sealed: beside it in the file stands the digest of its bytes, so
that no bit of it can change unnoticed.
"""

from pathlib import Path
from typing import Final, TypeVar

import msgspec

from hotswap.checkpoint.layout import SetKey, record_path
from hotswap.errors import CheckpointDamaged, CheckpointMissing
from hotswap.transfer.digest import blob_digest
from hotswap.transfer.manifest import Manifest

#: Version of the files that this package writes.
FORMAT_VERSION: Final = 1

#: Largest record that is read: some 1.5 million tensors.
RECORD_NBYTES_MAX: Final = 256 << 20


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One rank's part of a set."""

    format_version: int
    # ranks in the job when the set was captured
    world_size: int
    # size of the tensor file
    data_nbytes: int
    manifest: Manifest


class _SummaryOfManifest(msgspec.Struct, frozen=True, kw_only=True):
    job: str
    rank: int
    epoch: int
    step: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What of a record must agree among the ranks of a set; reads much faster than all of it."""

    format_version: int
    world_size: int
    manifest: _SummaryOfManifest


class _Sealed(msgspec.Struct, frozen=True, kw_only=True):
    # `blob_digest` of the bytes of ``record``
    digest: str
    record: msgspec.Raw


_Kind = TypeVar("_Kind", Record, Summary)


def encode_record(record: Record) -> bytes:
    """Return the content of the file that holds ``record``."""
    encoded = msgspec.json.encode(record, order="sorted")
    return msgspec.json.encode(_Sealed(digest=blob_digest(encoded), record=msgspec.Raw(encoded)))


def read_record(directory: Path, key: SetKey, *, rank: int) -> Record:
    """Return the record of ``rank`` in set ``key``.

    Raises:
        CheckpointMissing: there is none.
        CheckpointDamaged: it is not as it was written, of another version, or of another place.

    """
    return _read(directory, key, rank=rank, kind=Record)


def read_summary(directory: Path, key: SetKey, *, rank: int) -> Summary:
    """Return what must agree among ranks out of the record of ``rank`` in set ``key``.

    Raises `CheckpointMissing` and `CheckpointDamaged` as `read_record` does.
    """
    return _read(directory, key, rank=rank, kind=Summary)


def _read(directory: Path, key: SetKey, *, rank: int, kind: type[_Kind]) -> _Kind:
    path = record_path(directory, key, rank=rank)
    try:
        record = msgspec.json.decode(_unseal(path), type=kind)
    except FileNotFoundError as error:
        message = f"rank {rank} has no checkpoint at step {key.step}, epoch {key.epoch} ({path})"
        raise CheckpointMissing(message) from error
    except (OSError, msgspec.DecodeError) as error:
        raise _damaged(path, f"{error}") from error
    if record.format_version != FORMAT_VERSION:
        raise _damaged(path, f"format {record.format_version}, this version reads {FORMAT_VERSION}")
    manifest = record.manifest
    if (manifest.step, manifest.epoch, manifest.rank) != (key.step, key.epoch, rank):
        place = f"rank {manifest.rank}, step {manifest.step}, epoch {manifest.epoch}"
        raise _damaged(path, f"it is of {place}, and was moved here")
    return record


def _unseal(path: Path) -> bytes:
    if path.stat().st_size > RECORD_NBYTES_MAX:
        raise _damaged(path, f"larger than {RECORD_NBYTES_MAX} bytes")
    sealed = msgspec.json.decode(path.read_bytes(), type=_Sealed)
    encoded = bytes(sealed.record)
    if blob_digest(encoded) != sealed.digest:
        raise _damaged(path, "its digest does not belong to it")
    return encoded


def _damaged(path: Path, problem: str) -> CheckpointDamaged:
    return CheckpointDamaged(f"{path} cannot be used ({problem}): load an older one", tensors=())

"""The newest micro-checkpoint that a job can go back to: reads its records, not its tensors.

Needs no torch, which the coordinator does without.
"""

from pathlib import Path
from typing import Final

import msgspec

from hotswap.checkpoint.layout import (
    SetKey,
    data_path,
    list_recorded_ranks,
    list_sets,
    record_path,
)

#: Largest record that is read.
RECORD_NBYTES_MAX: Final = 256 << 20


class _Captured(msgspec.Struct, frozen=True, kw_only=True):
    job: str
    rank: int
    epoch: int
    step: int


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """What of a rank's record says whether it belongs to a set."""

    world_size: int
    data_nbytes: int
    manifest: _Captured


class _Sealed(msgspec.Struct, frozen=True, kw_only=True):
    """The file of a record; its digest is checked by who loads the checkpoint."""

    record: _Record


def find_checkpoint(
    directory: Path, *, job: str, world_size: int, before_step: int | None = None
) -> int | None:
    """Return the step of the newest complete checkpoint; None: there is none.

    Args:
        directory: of the job's checkpoints; it need not exist.
        job: name of the job that has to have written it.
        world_size: ranks of which each has to have written its part.
        before_step: only checkpoints of earlier steps count; None: all of them.

    """
    for key in reversed(list_sets(directory)):
        if before_step is not None and key.step >= before_step:
            continue
        if _is_complete(directory, key, job=job, world_size=world_size):
            return key.step
    return None


def _is_complete(directory: Path, key: SetKey, *, job: str, world_size: int) -> bool:
    ranks = list_recorded_ranks(directory, key)
    return ranks == list(range(world_size)) and all(
        _is_part(directory, key, rank=rank, job=job, world_size=world_size) for rank in ranks
    )


def _is_part(directory: Path, key: SetKey, *, rank: int, job: str, world_size: int) -> bool:
    """Whether the part of ``rank`` is there whole, as far as sizes tell."""
    path = record_path(directory, key, rank=rank)
    try:
        if path.stat().st_size > RECORD_NBYTES_MAX:
            return False
        record = msgspec.json.decode(path.read_bytes(), type=_Sealed).record
        data_nbytes = data_path(directory, key, rank=rank).stat().st_size
    except (OSError, msgspec.DecodeError):
        return False  # removed meanwhile, or damaged: an older one has to do
    expected = _Captured(job=job, rank=rank, epoch=key.epoch, step=key.step)
    return (record.world_size, record.data_nbytes, record.manifest) == (
        world_size,
        data_nbytes,
        expected,
    )

"""Reading micro-checkpoints back: nothing is returned that is not, to the bit, what was written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import Tensor

from hotswap.checkpoint.layout import SetKey, data_path, list_recorded_ranks, list_sets
from hotswap.checkpoint.record import Record, read_record
from hotswap.checkpoint.sets import inspect_set
from hotswap.errors import (
    CheckpointDamaged,
    CheckpointError,
    CheckpointMissing,
    ManifestMismatch,
    UnsupportedTensor,
)
from hotswap.transfer.buffers import byte_view
from hotswap.transfer.manifest import SMALL_STATE, Manifest, state_digests, verify


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedRank:
    """State of a rank as it was captured."""

    key: SetKey
    manifest: Manifest
    # parameters and optimizer state, by name; host memory that nothing else holds
    units: Mapping[str, Tensor]
    # buffers, by name
    buffers: Mapping[str, Tensor]
    small_state: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedSet:
    """A set that was passed over."""

    key: SetKey
    # what was wrong, naming rank, file and tensors
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestLoadable:
    """Result of `latest_loadable`."""

    # the newest set that can be loaded; None: there is none
    found: SetKey | None
    # newer sets, newest first; ``found`` None and nothing skipped: no checkpoint was ever begun
    skipped: tuple[SkippedSet, ...]


def complete_steps(directory: Path, *, world_size: int) -> list[int]:
    """Return, ascending, the steps at which every rank has a record and all records agree.

    Tensors are not read: a step listed here may still turn out damaged.
    """
    statuses = (inspect_set(directory, key) for key in list_sets(directory))
    return sorted({status.key.step for status in statuses if status.world_size == world_size})


def highest_epoch(directory: Path) -> int | None:
    """Return the latest epoch in ``directory``; a job that goes on from it starts in a later one.

    None when there is no checkpoint.
    """
    return max((key.epoch for key in list_sets(directory)), default=None)


def load_rank(directory: Path, *, step: int, rank: int, epoch: int | None = None) -> LoadedRank:
    """Read the state of ``rank`` after ``step`` steps, and verify every byte of it.

    ``epoch`` None means the latest one in which the rank has this step.

    Raises:
        CheckpointMissing: the rank has no such checkpoint.
        CheckpointDamaged: record or tensors are not as they were written; ``tensors`` names them.

    """
    if epoch is None:
        epoch = _latest_epoch(directory, step=step, rank=rank)
    key = SetKey(step=step, epoch=epoch)
    record = read_record(directory, key, rank=rank)
    path = data_path(directory, key, rank=rank)
    tensors = _read_tensors(path, record=record)
    small_state = bytes(byte_view(tensors.pop(SMALL_STATE)))
    try:
        verify(record.manifest, state_digests(tensors, small_state=small_state))
    except UnsupportedTensor as error:
        raise _damaged(path, str(error), tensors=[error.tensor]) from error
    except ManifestMismatch as error:
        names = ", ".join(error.tensors)
        message = f"{path} is damaged in {names}: load an older checkpoint"
        raise CheckpointDamaged(message, tensors=error.tensors) from error
    return LoadedRank(
        key=key,
        manifest=record.manifest,
        units={name: tensors[name] for name in record.manifest.units},
        buffers={name: tensors[name] for name in record.manifest.buffers},
        small_state=small_state,
    )


def latest_loadable(
    directory: Path,
    *,
    world_size: int,
    ranks: Iterable[int] | None = None,
    not_after: SetKey | None = None,
) -> LatestLoadable:
    """Find the newest complete set of which the files of ``ranks`` can be loaded; all if None.

    Every byte of these files is read. Ranks that look at their own files only have to agree:
    on the oldest that one of them found, asking again with ``not_after`` until all find the same.
    """
    wanted = range(world_size) if ranks is None else tuple(ranks)
    skipped: list[SkippedSet] = []
    for key in reversed(list_sets(directory)):
        if not_after is not None and key > not_after:
            continue
        problem = _find_problem(directory, key, world_size=world_size, ranks=wanted)
        if problem is None:
            return LatestLoadable(found=key, skipped=tuple(skipped))
        skipped.append(SkippedSet(key=key, problem=problem))
    return LatestLoadable(found=None, skipped=tuple(skipped))


def _find_problem(
    directory: Path, key: SetKey, *, world_size: int, ranks: Iterable[int]
) -> str | None:
    status = inspect_set(directory, key)
    if status.problem is not None:
        return status.problem
    if status.world_size != world_size:
        return f"it is of a job of {status.world_size} ranks, not {world_size}"
    try:
        for rank in ranks:
            load_rank(directory, step=key.step, rank=rank, epoch=key.epoch)
    except CheckpointError as error:
        return str(error)
    return None


def _latest_epoch(directory: Path, *, step: int, rank: int) -> int:
    for key in reversed(list_sets(directory)):
        if key.step == step and rank in list_recorded_ranks(directory, key):
            return key.epoch
    message = f"{directory} has no checkpoint of rank {rank} at step {step}"
    raise CheckpointMissing(message)


def _read_tensors(path: Path, *, record: Record) -> dict[str, Tensor]:
    expected = {*record.manifest.units, *record.manifest.buffers, SMALL_STATE}
    try:
        nbytes = path.stat().st_size
        if nbytes != record.data_nbytes:
            raise _damaged(path, f"{nbytes} bytes instead of {record.data_nbytes}")
        # Not memory-mapped: the tensors are to be trained on, whatever becomes of the file.
        with safe_open(path, framework="pt", backend="pread") as file:
            tensors = {name: file.get_tensor(name) for name in file.offset_keys()}
    except (OSError, SafetensorError) as error:
        raise _damaged(path, f"{error}") from error
    if tensors.keys() != expected:
        names = sorted(tensors.keys() ^ expected)
        raise _damaged(path, f"missing or unknown: {', '.join(names)}", tensors=names)
    return tensors


def _damaged(path: Path, problem: str, *, tensors: Iterable[str] = ()) -> CheckpointDamaged:
    message = f"{path} cannot be used ({problem}): load an older checkpoint"
    return CheckpointDamaged(message, tensors=tensors)

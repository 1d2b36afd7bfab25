"""One rank's files in the job's checkpoint directory: written whole, record last."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from hotswap.checkpoint.layout import (
    SetKey,
    data_path,
    list_recorded_ranks,
    list_sets,
    record_path,
    set_directory,
)
from hotswap.checkpoint.record import FORMAT_VERSION, Record, encode_record
from hotswap.errors import CheckpointFailed, CheckpointOutdated
from hotswap.transfer.atomic import sync_directory, write_atomically
from hotswap.transfer.manifest import build_manifest

#: Writes chunks to a path and returns their bytes, as `write_atomically` does: the path is there
#: whole and on the disk afterwards, or `OSError` is raised and it is as it was.
WriteFile = Callable[[Path, Iterable[bytes | memoryview]], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedState:
    """What a rank held at a step boundary, in host memory."""

    key: SetKey
    # parameters and optimizer state, by name
    units: Mapping[str, Tensor]
    # buffers, by name
    buffers: Mapping[str, Tensor]
    small_state: bytes
    # the tensor file made of it
    file_chunks: tuple[bytes | memoryview, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStore:
    """Where one rank's checkpoints go."""

    # shared by all ranks of the job, and by no other job
    directory: Path
    job: str
    rank: int
    world_size: int
    write: WriteFile = write_atomically

    def save(self, state: CapturedState) -> int:
        """Write ``state`` and return the size of the tensor file in bytes.

        It counts from the moment when its record is there; a process killed before leaves an
        unfinished set, which readers pass over.

        Raises:
            CheckpointOutdated: an owner of a later epoch writes here, or this checkpoint is there
                already; nothing was written.
            CheckpointFailed: the set was cleared away meanwhile: rank 0 had gone on to later ones.
            OSError: the disk is full or cannot be written; nothing of this rank is left in the set.

        """
        self._check_up_to_date(state.key)
        manifest = build_manifest(
            job=self.job,
            rank=self.rank,
            epoch=state.key.epoch,
            step=state.key.step,
            units=state.units,
            buffers=state.buffers,
            small_state=state.small_state,
        )
        set_directory(self.directory, state.key).mkdir(parents=True, exist_ok=True)
        sync_directory(self.directory)
        data = data_path(self.directory, state.key, rank=self.rank)
        try:
            nbytes = self.write(data, state.file_chunks)
            record = Record(
                format_version=FORMAT_VERSION,
                world_size=self.world_size,
                data_nbytes=nbytes,
                manifest=manifest,
            )
            path = record_path(self.directory, state.key, rank=self.rank)
            self.write(path, [encode_record(record)])
        except OSError as error:
            if not data.parent.is_dir():
                message = (
                    f"checkpoint of step {state.key.step} was cleared away while rank {self.rank} "
                    "wrote it: rank 0 had gone on to later ones; capture a step only where every "
                    "rank's writer is idle"
                )
                raise CheckpointFailed(message) from error
            # A file without its record is worth nothing, and a full disk needs the room.
            data.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # the other ranks' files may be there
                set_directory(self.directory, state.key).rmdir()
            raise
        return nbytes

    def _check_up_to_date(self, key: SetKey) -> None:
        keys = list_sets(self.directory)
        if keys and keys[-1].epoch > key.epoch:
            message = (
                f"{self.directory} has a checkpoint of epoch {keys[-1].epoch}, this is epoch "
                f"{key.epoch}: another owner writes here, or the job was started anew; start it "
                "in a later epoch or with an empty directory"
            )
            raise CheckpointOutdated(message)
        if self.rank in list_recorded_ranks(self.directory, key):
            message = (
                f"{self.directory} has rank {self.rank} at step {key.step}, epoch {key.epoch} "
                "already: an epoch is used once; start the job in a later one"
            )
            raise CheckpointOutdated(message)

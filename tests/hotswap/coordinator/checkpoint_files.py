"""Checkpoints on the disk, written by the code that the ranks use."""

from pathlib import Path

import torch

from hotswap.checkpoint.layout import SetKey
from hotswap.checkpoint.store import CapturedState, RankStore
from tests.hotswap.coordinator.scripted import JOB

WORLD = 2


def write(
    directory: Path, *, step: int, epoch: int = 1, ranks: int = WORLD, job: str = JOB
) -> SetKey:
    """Write a checkpoint as the ranks do."""
    key = SetKey(epoch=epoch, step=step)
    for rank in range(ranks):
        state = CapturedState(
            key=key,
            units={"weight": torch.full((3,), float(step))},
            buffers={},
            small_state=b"",
            file_chunks=(b"tensors of a rank",),
        )
        store = RankStore(directory=directory, job=job, rank=rank, world_size=WORLD)
        directory.mkdir(exist_ok=True)
        store.save(state)
    return key

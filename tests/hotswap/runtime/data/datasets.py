"""Data sets that the tests of this folder read."""

import os
import random
import signal
from collections.abc import Callable
from typing import TypedDict

import numpy as np
import torch
from torch import Tensor

from hotswap.limits import Limits
from hotswap.runtime.data.reader import Collate
from hotswap.runtime.data.worker import WorkerInit
from hotswap.runtime.data.worker_readers import StartMethod


class Options(TypedDict, total=False):
    """What a test changes of a loader."""

    micro_batches: int
    shuffle: bool
    num_workers: int
    collate_fn: Collate
    worker_init_fn: WorkerInit
    prefetch_steps: int
    start_method: StartMethod
    limits: Limits


def draws() -> tuple[float, float, float]:
    """Draw once from each global generator."""
    # these are the generators that a job seeds
    return torch.rand(1).item(), random.random(), float(np.random.rand())  # noqa: NPY002


class Numbers:
    """Sample i is the number i."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> int:
        return index


class Augmented:
    """Sample i is i with a draw from each global generator, as an augmentation would have it."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Tensor:
        return torch.tensor([index, *draws()], dtype=torch.float64)


class Trapped(Numbers):
    """Sample i is the number i, but reading one of them does something else first."""

    def __init__(self, length: int, *, at: int, does: Callable[[], None]) -> None:
        super().__init__(length)
        self._at = at
        self._does = does

    def __getitem__(self, index: int) -> int:
        if index == self._at:
            self._does()
        return index


def dies() -> None:
    """End this process as the system does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def hangs() -> None:
    """Never come back."""
    while True:
        signal.pause()


def fails() -> None:
    """Raise an error."""
    raise FileNotFoundError("the shard is not there")

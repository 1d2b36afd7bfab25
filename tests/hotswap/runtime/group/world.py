"""Ranks as threads of one process, each with its own bound group: fast, and real gloo."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import torch
from torch._C._distributed_c10d import HashStore

from hotswap.limits import Limits
from hotswap.runtime.group.binding import EpochGroups
from hotswap.runtime.group.process_group import HotswapProcessGroup
from hotswap.runtime.group.spec import GroupSpec

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: Long enough for a loaded machine; a deadlock ends here.
RESULT_S = 30.0
LIMITS = Limits(collective_s=20.0, bind_s=10.0, lease_s=1.0)


class World:
    """``size`` ranks, each with one group of all ranks."""

    def __init__(self, size: int, device: torch.device) -> None:
        """Bind every rank's group for epoch 1."""
        self.size = size
        self.device = device
        self.store = HashStore()
        self.failures: list[str] = []
        self.groups = [
            HotswapProcessGroup(GroupSpec(name="all", rank=rank, global_ranks=tuple(range(size))))
            for rank in range(size)
        ]
        self.epochs: list[EpochGroups] = []
        self._pool = ThreadPoolExecutor(size)
        self.bind(1)

    def bind(self, epoch: int) -> None:
        """Connect every rank for ``epoch`` and switch its group over."""
        self.epochs = self.run(lambda rank: self._connect(rank, epoch))
        for group, groups in zip(self.groups, self.epochs, strict=True):
            group.bind(groups["all"])

    def _connect(self, rank: int, epoch: int) -> EpochGroups:
        groups = EpochGroups(
            epoch=epoch,
            rank=rank,
            world_size=self.size,
            device=self.device,
            host="127.0.0.1",
            store=self.store,
            limits=LIMITS,
            on_failure=self.failures.append,
        )
        groups.connect([self.groups[rank].spec])
        return groups

    def run(self, function: Callable[[int], T]) -> list[T]:
        """Run ``function(rank)`` on every rank at once and return the results by rank."""
        started = [self._pool.submit(function, rank) for rank in range(self.size)]
        return [future.result(timeout=RESULT_S) for future in started]

    def tensor(self, *values: float) -> torch.Tensor:
        """Return a float32 tensor on the world's device."""
        return torch.tensor(values, dtype=torch.float32, device=self.device)

    def close(self) -> None:
        """Free connections and threads."""
        for groups in self.epochs:
            groups.close()
        self._pool.shutdown()

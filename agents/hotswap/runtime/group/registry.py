"""The process groups that the script has made, and the backend's registration with torch."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import torch.distributed as dist

from hotswap.runtime.group.echo import EchoGroup
from hotswap.runtime.group.process_group import BACKEND, HotswapProcessGroup
from hotswap.runtime.group.spec import GroupSpec

if TYPE_CHECKING:
    from torch._C._distributed_c10d import _DistributedBackendOptions

    from hotswap.runtime.group.binding import EpochGroups


class GroupRegistry:
    """Every group of the process, in the order in which the script made them."""

    def __init__(self) -> None:
        """Start with no group, bound to no epoch."""
        self._groups: list[HotswapProcessGroup] = []
        self._epoch_groups: EpochGroups | None = None
        self._lock = threading.Lock()

    def create(self, options: _DistributedBackendOptions, _: object = None) -> HotswapProcessGroup:
        """Make the group that torch asks for; torch calls this once per group and member."""
        ranks = tuple(options.global_ranks_in_group) or tuple(range(options.group_size))
        spec = GroupSpec(name=options.group_id, rank=options.group_rank, global_ranks=ranks)
        group = HotswapProcessGroup(spec)
        with self._lock:
            self._groups.append(group)
            bound = self._epoch_groups
        if bound is not None:
            group.bind(bound.add(spec))
        return group

    @property
    def specs(self) -> tuple[GroupSpec, ...]:
        """What has to be connected for an epoch."""
        with self._lock:
            return tuple(group.spec for group in self._groups)

    def bind(self, groups: EpochGroups) -> None:
        """Use the connections of ``groups`` from the next collective on: a pointer per group."""
        with self._lock:
            self._epoch_groups = groups
            for group in self._groups:
                group.bind(groups[group.spec.name])

    def unbind(self) -> None:
        """Echo from now on: the process owns no rank."""
        with self._lock:
            self._epoch_groups = None
            for group in self._groups:
                group.bind(EchoGroup(rank=group.spec.rank, size=group.spec.size))

    def forget(self) -> None:
        """Drop every group: the script starts over."""
        self.unbind()
        with self._lock:
            self._groups.clear()


def register(registry: GroupRegistry) -> None:
    """Make ``backend="hotswap"`` known to torch, with ``registry`` behind it.

    A second registration in the same process replaces the first.
    """
    dist.Backend._plugins.pop(BACKEND.upper(), None)  # noqa: SLF001 - torch refuses a second one
    if BACKEND in dist.Backend.backend_list:
        dist.Backend.backend_list.remove(BACKEND)
    dist.Backend.register_backend(
        BACKEND, registry.create, extended_api=True, devices=["cpu", "cuda"]
    )

"""All groups of a process, bound to one epoch together."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, Store

from hotswap.errors import EpochLost
from hotswap.runtime.group.bound import BoundGroup
from hotswap.runtime.group.gloo import GlooTransport
from hotswap.runtime.group.nccl import NcclTransport
from hotswap.runtime.group.spec import GroupSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hotswap.limits import Limits
    from hotswap.runtime.group.bound import Transport

#: Name of the group that carries the votes: all ranks, always over gloo.
VOTE_GROUP = "hotswap-vote"


class EpochGroups:
    """The connections of one epoch: one bound group for each group of the script, and the vote's.

    Made by ``connect`` in any thread, used by the main thread, left by ``interrupt`` from any
    thread and freed by ``close`` in the main thread.
    """

    def __init__(
        self,
        *,
        epoch: int,
        rank: int,
        world_size: int,
        device: torch.device,
        host: str,
        store: Store,
        limits: Limits,
        on_failure: Callable[[str], None],
    ) -> None:
        """Prepare to connect; nothing is on the network yet."""
        self.epoch = epoch
        self._device = device
        self._host = host
        # None once closed: with it goes a connection, whoever still refers to this object
        self._store: Store | None = store
        self._limits = limits
        self._on_failure = on_failure
        self._bound: dict[str, BoundGroup] = {}
        self._lost = False
        self._vote = GroupSpec(name=VOTE_GROUP, rank=rank, global_ranks=tuple(range(world_size)))

    def connect(self, specs: Iterable[GroupSpec]) -> None:
        """Connect the vote's group and every group of ``specs``, in this order.

        Raises:
            RuntimeError: a member did not come within ``bind_s``, or died meanwhile.

        """
        self._connect(self._vote, device=torch.device("cpu"))
        for spec in specs:
            self.add(spec)

    def add(self, spec: GroupSpec) -> BoundGroup:
        """Connect one more group: the script made it while the epoch was in force."""
        return self._connect(spec, device=self._device)

    def _connect(self, spec: GroupSpec, *, device: torch.device) -> BoundGroup:
        if self._store is None:
            message = f"epoch {self.epoch} is over: no group of it can be connected any more"
            raise EpochLost(message)
        store = PrefixStore(f"{self.epoch}/{spec.name}", self._store)
        bind_s, collective_s = self._limits.bind_s, self._limits.collective_s
        transport: Transport
        if device.type == "cuda":
            transport = NcclTransport(
                spec,
                store=store,
                host=self._host,
                bind_s=bind_s,
                collective_s=collective_s,
                device=device,
            )
        else:
            transport = GlooTransport(
                spec, store=store, host=self._host, bind_s=bind_s, collective_s=collective_s
            )
        bound = BoundGroup(transport, epoch=self.epoch, on_failure=self._on_failure)
        self._bound[spec.name] = bound
        if self._lost:
            bound.interrupt()
        return bound

    def __getitem__(self, name: str) -> BoundGroup:
        """Return the bound group of that name."""
        return self._bound[name]

    def reduce(self, values: list[int], operation: dist.ReduceOp.RedOpType) -> list[int]:
        """Reduce small numbers over all ranks: the votes.

        Raises:
            EpochLost: a rank did not take part.

        """
        tensor = torch.tensor(values)
        options = dist.AllreduceOptions()
        options.reduceOp = dist.ReduceOp(operation)
        # A collective: it ends by the group's own limit, `collective_s`, or when the epoch is lost.
        # ast-grep-ignore: bounded-wait
        self._bound[VOTE_GROUP].carry("allreduce", [tensor], options).wait()
        return [int(value) for value in tensor.tolist()]

    def broken(self) -> bool:
        """Whether a collective failed or a connection of any group is gone."""
        return self._lost or any(bound.broken() for bound in list(self._bound.values()))

    def interrupt(self) -> None:
        """Leave the epoch in every group. Never waits; any thread."""
        self._lost = True
        for bound in list(self._bound.values()):
            bound.interrupt()

    def close(self) -> None:
        """Free everything. Raises AbandonTimedOut when bytes could still arrive."""
        for bound in self._bound.values():
            bound.close(timeout_s=self._limits.abandon_s)
        self._bound.clear()
        self._store = None

    def close_later(self) -> None:
        """Free everything after ``linger_s``, in a thread: every collective here has ended.

        Peers may still be reading what this member sent last; closing at once could take it away.
        """
        timer = threading.Timer(self._limits.linger_s, self.close)
        timer.name = f"hotswap-linger-epoch-{self.epoch}"
        timer.daemon = True
        timer.start()

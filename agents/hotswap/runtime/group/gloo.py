"""A group connected by gloo for one epoch."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, Store

from hotswap.runtime.group.device import listen
from hotswap.runtime.group.sockets import Connection, connections

if TYPE_CHECKING:
    from hotswap.runtime.group.spec import GroupSpec


class GlooTransport:
    """gloo connections between the members of ``spec`` for one epoch."""

    def __init__(
        self, spec: GroupSpec, *, store: Store, host: str, bind_s: float, collective_s: float
    ) -> None:
        """Connect; returns when every member has done so.

        Args:
            spec: the group.
            store: rendezvous, used by this group and epoch alone.
            host: address on which this process accepts its peers.
            bind_s: how long to wait for the other members.
            collective_s: how long a collective may take before it counts as failed.

        Raises:
            RuntimeError: a member did not come in time, or died while connecting.

        """
        store.set_timeout(timedelta(seconds=bind_s))
        device, port = listen(host)
        store.set(f"port/{spec.rank}", str(port))
        # The stub knows neither the class by this name nor the constructor that takes it.
        options = dist.ProcessGroupGloo._Options()  # type: ignore[attr-defined]  # noqa: SLF001
        options._devices = [device]  # noqa: SLF001 - torch offers no other way to set it
        options._timeout = timedelta(seconds=bind_s)  # noqa: SLF001
        gloo = dist.ProcessGroupGloo(
            PrefixStore("gloo", store),
            spec.rank,
            spec.size,
            options,
        )
        gloo._set_default_timeout(timedelta(seconds=collective_s))  # noqa: SLF001
        group = dist.ProcessGroup(store, spec.rank, spec.size)
        kind = dist.ProcessGroup.BackendType.GLOO
        group._register_backend(torch.device("cpu"), kind, gloo)  # noqa: SLF001
        group._set_default_backend(kind)  # noqa: SLF001
        self.gloo = gloo
        self._group: dist.ProcessGroup | None = group
        self._connections = self._find(spec, store, port)

    @staticmethod
    def _find(spec: GroupSpec, store: Store, port: int) -> tuple[Connection, ...]:
        peers = [rank for rank in range(spec.size) if rank != spec.rank]
        ports = frozenset(int(store.get(f"port/{rank}")) for rank in peers)
        return connections(own_port=port, peer_ports=ports)

    @property
    def group(self) -> dist.ProcessGroup:
        """The inner process group."""
        assert self._group is not None, "the transport is closed"
        return self._group

    def intact(self) -> bool:
        """Whether every connection is established."""
        return all(connection.established() for connection in self._connections)

    def interrupt(self) -> None:
        """Shut every connection down: pending collectives end within milliseconds."""
        for connection in self._connections:
            connection.shut_down()

    def close(self) -> None:
        """Drop gloo's objects: their destructors wait for pending operations and join threads."""
        self.interrupt()
        self._connections = ()
        self._group = None
        del self.gloo

"""Connecting the groups of an epoch in the background, while the old ones are in use or left."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog
from torch._C._distributed_c10d import TCPStore

from hotswap.runtime.group.binding import EpochGroups

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from hotswap.limits import Limits
    from hotswap.runtime.group.spec import GroupSpec
    from hotswap.wire.messages import Endpoint

_log = structlog.get_logger()


class Binding:
    """One attempt to connect this member's groups for an epoch, in a thread of its own."""

    def __init__(  # noqa: PLR0913 - what a rendezvous needs
        self,
        *,
        epoch: int,
        rank: int,
        world_size: int,
        store: Endpoint,
        specs: tuple[GroupSpec, ...],
        device: torch.device,
        host: str,
        limits: Limits,
        on_failure: Callable[[int, str], None],
        on_bound: Callable[[int], None],
    ) -> None:
        """Start to connect."""
        self.epoch = epoch
        self.rank = rank
        self._groups: EpochGroups | None = None
        self._world_size = world_size
        self._store = store
        self._specs = specs
        self._device = device
        self._host = host
        self._limits = limits
        self._on_failure = on_failure
        self._on_bound = on_bound
        self._given_up = False
        self._lock = threading.Lock()
        self._ended = threading.Event()
        threading.Thread(target=self._run, name=f"hotswap-bind-{epoch}", daemon=True).start()

    def take(self) -> EpochGroups | None:
        """Wait until the groups are connected, and give them away, once.

        None: they could not be connected, or were given up.
        """
        self._ended.wait(self._limits.bind_s + self._limits.abandon_s)
        with self._lock:
            # They refer to this object: both ways, they would outlive their use.
            groups, self._groups = self._groups, None
        return groups

    def give_up(self) -> None:
        """Leave what is connected and end ``take``. Any thread; never waits."""
        with self._lock:
            self._given_up = True
            groups = self._groups
        self._ended.set()
        if groups is not None:
            groups.interrupt()

    def close(self) -> None:
        """Free what was connected, when it will not be used."""
        with self._lock:
            self._given_up = True
            groups, self._groups = self._groups, None
        if groups is not None:
            groups.interrupt()
            groups.close()

    def _run(self) -> None:
        try:
            groups = self._connect()
        except RuntimeError as error:
            # torch raises RuntimeError, and DistError below it, for whatever befalls a rendezvous.
            self._ended.set()
            with self._lock:
                given_up = self._given_up
            if not given_up:
                _log.warning("bind_failed", epoch=self.epoch, detail=str(error))
                self._on_failure(self.epoch, f"connecting failed: {error}")
            return
        with self._lock:
            keep = not self._given_up
            if keep:
                self._groups = groups
        self._ended.set()
        if keep:
            self._on_bound(self.epoch)
        else:
            groups.interrupt()
            groups.close()

    def _connect(self) -> EpochGroups:
        store = TCPStore(
            self._store.host,
            self._store.store_port,
            is_master=False,
            wait_for_workers=False,
            timeout=timedelta(seconds=self._limits.bind_s),
        )
        groups = EpochGroups(
            epoch=self.epoch,
            rank=self.rank,
            world_size=self._world_size,
            device=self._device,
            host=self._host,
            store=store,
            limits=self._limits,
            on_failure=lambda detail: self._on_failure(self.epoch, detail),
        )
        groups.connect(self._specs)
        return groups

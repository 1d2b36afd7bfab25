"""A training process around a real MemberCore: what its runtime would do, without the training.

The state of a rank is modelled by the number of gradient steps that were really applied to it, so
that what the cores claim can be compared with what has been done.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import msgspec

from hotswap.coordinator.core.member_values import Identity
from hotswap.wire.messages import Endpoint

if TYPE_CHECKING:
    from hotswap.coordinator.core.member import MemberCore


class Copy(msgspec.Struct, frozen=True, order=True):
    """Content of a mirror: steps applied, and the step whose gradients are held."""

    applied: int
    held: int | None = None
    # a bit of it has flipped, and that was found
    flipped: bool = False
    condemned: bool = False


class Node(msgspec.Struct):
    """One process. Immutable values only, so that a copy is cheap."""

    core: MemberCore
    alive: bool = True
    # why it has left the job
    left: str = ""
    # steps really applied to the owned state; None: it owns nothing
    applied: int | None = None
    copies: dict[int, Copy] = {}
    # mirrors that hold the whole state of the owned rank, and all that are linked
    protecting: frozenset[str] = frozenset()
    linked: frozenset[str] = frozenset()
    # mirrors that protect the rank from the next step on
    copied: frozenset[str] = frozenset()
    # (epoch, step) whose gradients were sent, and mirrors whose receipt is missing
    computed: tuple[int, int] | None = None
    waiting: frozenset[str] = frozenset()
    # mirror that was told that it owns the rank, and the epoch in which it was told
    handed_over: tuple[str, int] | None = None
    # (epoch, step) of an open vote
    cast: tuple[int, int] | None = None
    # epoch whose failure was reported
    told_epoch: int = 0
    # epoch in which Resumed was said
    resumed_epoch: int = 0
    # digest that was asked for: swap and lowest step
    digest: tuple[str, int] | None = None
    # fingerprint, once taken
    key: int | None = None

    @property
    def name(self) -> str:
        """Name of the process."""
        return self.core.name

    @property
    def present(self) -> bool:
        """Whether the process takes part in the job."""
        return self.alive and not self.left

    def clone(self) -> Node:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin.core = self.core.clone()
        twin.copies = self.copies.copy()
        twin.key = None
        return twin

    def fingerprint(self) -> int:
        """Return what decides what this process will do."""
        if self.key is None:
            self.key = hash(self._told())
        return self.key

    def _told(self) -> tuple[object, ...]:
        if not self.present:
            return (self.alive,)
        return (
            self.core.fingerprint(),
            self.applied,
            tuple(sorted(self.copies.items())),
            self.protecting,
            self.linked,
            self.copied,
            self.computed,
            self.waiting,
            self.handed_over,
            self.cast,
            self.told_epoch >= self.core.epoch,
            self.digest,
        )


def endpoint(name: str) -> Endpoint:
    """Return where a process listens."""
    return Endpoint(host="127.0.0.1", store_port=sum(map(ord, name)), mirror_port=1)


def identity(name: str, wanted_rank: int | None = None) -> Identity:
    """Return what never changes about a process."""
    return Identity(
        job="job",
        name=name,
        pid=1,
        endpoint=endpoint(name),
        wanted_rank=wanted_rank,
        torch_version="2.13.0",
    )

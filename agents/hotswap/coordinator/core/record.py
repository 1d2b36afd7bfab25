"""What a leader saves before it acts, so that the next one can go on."""

from typing import Literal

import msgspec

from hotswap.coordinator.core.swap_record import SwapRecord
from hotswap.wire.messages import Endpoint, Seat


class SavedSwap(msgspec.Struct, frozen=True, kw_only=True):
    """A planned swap in flight."""

    id: str
    # the operator's id of the request
    request: str
    rank: int
    # owner that hands over
    origin: str
    target: str
    reason: str
    # before "armed" nobody votes for it; "disarming": it may have been in force before
    phase: Literal["preparing", "armed", "disarming", "in_force"]
    # 0: none was given to it yet
    former_epoch: int
    next_epoch: int
    seats: tuple[Seat, ...]
    # steps committed when it took force; None: it has not, or nobody knows
    step: int | None


class SavedTakeover(msgspec.Struct, frozen=True, kw_only=True):
    """A rank was given to another member after a loss, and that is not certified yet."""

    id: str
    rank: int
    from_member: str
    to_member: str
    epoch_before: int
    cause: str
    steps_lost: int | None


class SavedStart(msgspec.Struct, frozen=True, kw_only=True):
    """The Start that put the epoch in force: it is sent again to whoever has not heard it."""

    committed: int
    store: Endpoint
    restore_step: int | None
    cause: str
    takeovers: dict[int, str]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that has to survive a leader."""

    job: str
    # who saved it, under which token, and how long nobody had been leading before, s
    leader: str
    token: int
    election_s: float | None
    world_size: int
    # epoch in force or dead last; 0: the job has not begun
    epoch: int
    # highest number that was given to an epoch; never used again
    highest_epoch: int
    # every epoch up to this one is dead
    dead_epoch: int
    seats: tuple[Seat, ...]
    # None: the epoch took force by a vote
    start: SavedStart | None
    # at least so many steps are committed
    committed: int
    # epoch of the last restore from a checkpoint; older copies are worthless
    restored_epoch: int
    # only earlier checkpoints count: this one can't be loaded
    checkpoint_before: int | None
    # members that were declared lost; they are fenced off
    lost: tuple[str, ...]
    # ranks whose first process was lost before the job began
    forfeited: tuple[int, ...]
    mirrors: dict[int, tuple[str, ...]]
    # where those mirrors listen
    endpoints: dict[str, Endpoint]
    revision: int
    # swaps and takeovers so far, for their ids
    swaps: int
    swap: SavedSwap | None
    takeovers: tuple[SavedTakeover, ...]
    # changes of owner that are certified once their digests are known
    certificates: tuple[SwapRecord, ...]
    torch_version: str
    # how the job has ended; "" while it has not
    outcome: Literal["", "finished", "failed"]
    reason: str

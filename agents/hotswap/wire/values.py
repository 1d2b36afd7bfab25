"""Values that messages of the control channel are made of."""

from typing import Literal

import msgspec

#: Version of the control protocol. A peer of another version is refused by name.
PROTOCOL_VERSION = 1


class Message(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Base of every control message."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Where a member listens."""

    # host name or address that the other members can reach
    host: str
    # port of the member's rendezvous store
    store_port: int
    # port on which the member receives mirror traffic
    mirror_port: int


class Seat(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One line of a roster: who owns a rank."""

    rank: int
    member: str
    endpoint: Endpoint


class Holding(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """State of a rank that a member holds: as its owner, its mirror or its retired owner."""

    rank: int
    # steps applied to this state
    version: int
    # whether the gradients of step ``version`` are held, so that it can be applied
    pending: bool
    # "owner": live training state; "mirror": a replica; "retired": an owner after its hand-over
    kind: Literal["owner", "mirror", "retired"]
    # every unit of the state is present at ``version``
    complete: bool = True
    # no digest has ever disagreed
    intact: bool = True
    # epoch in which the state was copied or restored, 0 for the first; a state that is older than
    # the last restore from a checkpoint belongs to a history that was given up
    since_epoch: int = 0


class Mirroring(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One rank's mirror assignment."""

    rank: int
    member: str
    endpoint: Endpoint


class RankStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One rank as the coordinator sees it; None is unknown."""

    rank: int
    member: str | None
    committed: int | None
    protection: Literal["protected", "catching_up", "unprotected"]
    mirrors: tuple[str, ...] = ()
    lag_steps: int | None = None
    # standbys that have built its model
    prepared: tuple[str, ...] = ()

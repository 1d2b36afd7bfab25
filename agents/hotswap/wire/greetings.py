"""Who speaks, and that it lives; see `hotswap.wire.messages`."""

from typing import Literal

from hotswap.wire.values import Endpoint, Holding, Message


class Hello(Message, frozen=True, kw_only=True):
    """First message on a connection; also the first after a reconnection."""

    protocol: int
    job: str
    role: Literal["member", "supervisor", "operator"]
    # stable name of the process, e.g. ``node-3``; unique in the job, never re-used
    name: str
    pid: int
    # rank that the launcher foresees for the first epoch; None for a standby
    wanted_rank: int | None = None
    endpoint: Endpoint | None = None
    torch_version: str = ""
    # epoch in which the member last ran; 0 before the first
    epoch: int = 0
    # rank owned in that epoch
    rank: int | None = None
    # True when the member has left ``epoch`` and waits for the next one
    unwound: bool = False
    holdings: tuple[Holding, ...] = ()
    # highest fencing token the member has seen
    token: int = 0
    # highest epoch that the member has left or refuses to enter: nothing of it or of an older one
    # changes ``holdings`` any more
    dead_epoch: int = 0
    # rank whose model a standby has built in advance
    prepared_rank: int | None = None


class Heartbeat(Message, frozen=True, kw_only=True):
    """Sent every ``heartbeat_s``; its absence for ``lease_s`` is a loss."""

    epoch: int
    # steps applied by the owner; 0 for a standby
    committed: int = 0

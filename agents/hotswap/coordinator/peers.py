"""The authenticated connections of a coordinator, and what each may be sent and may send."""

import asyncio
from collections.abc import Iterator
from typing import Final, Literal, get_args

import structlog

from hotswap.limits import Limits
from hotswap.wire.messages import (
    AbortRequest,
    Heartbeat,
    Hello,
    Message,
    PrepareRequest,
    ProcessExited,
    StatusRequest,
    SwapRequest,
    ToCoordinator,
)

_log = structlog.get_logger()

Role = Literal["member", "supervisor", "operator"]

_EVERYBODY: Final[frozenset[type[Message]]] = frozenset({Hello, Heartbeat})
_SUPERVISOR: Final[frozenset[type[Message]]] = frozenset({ProcessExited, StatusRequest})
_OPERATOR: Final[frozenset[type[Message]]] = frozenset(
    {SwapRequest, AbortRequest, PrepareRequest, StatusRequest}
)

#: What each role may send. A supervisor also watches, so it may ask for the status.
ALLOWED: Final[dict[Role, frozenset[type[Message]]]] = {
    "member": frozenset(get_args(ToCoordinator)) - _SUPERVISOR - _OPERATOR,
    "supervisor": _EVERYBODY | _SUPERVISOR,
    "operator": _EVERYBODY | _OPERATOR,
}


class Peer:
    """One connection whose other end has proved who it is.

    Nothing here waits for the other end: what it doesn't take stays in a buffer, and a peer whose
    buffer outgrows its limit is cut off.
    """

    def __init__(
        self,
        writer: asyncio.StreamWriter,
        *,
        name: str,
        role: Role,
        limits: Limits,
    ) -> None:
        """Take over a connection."""
        self.name = name
        self.role = role
        self._writer = writer
        self._farewell_s = limits.farewell_s
        self._backlog_nbytes_max = (
            limits.member_backlog_nbytes_max
            if role == "member"
            else limits.observer_backlog_nbytes_max
        )

    def send(self, frame: bytes) -> None:
        """Send a frame, as soon as the peer takes it; after the end of the connection, nothing."""
        if self._writer.is_closing():
            return
        self._writer.write(frame)
        backlog_nbytes = self._writer.transport.get_write_buffer_size()
        if backlog_nbytes > self._backlog_nbytes_max:
            _log.warning(
                "slow_peer_cut_off", peer=self.name, role=self.role, backlog_nbytes=backlog_nbytes
            )
            self.cut()

    def close(self) -> None:
        """Close the connection once the peer has taken what was sent, at most ``farewell_s``."""
        self._writer.close()
        asyncio.get_running_loop().call_later(self._farewell_s, self.cut)

    def cut(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()


class Peers:
    """All connections of one leader, one for each name."""

    def __init__(self) -> None:
        """Begin without any."""
        self._by_name: dict[str, Peer] = {}

    def __iter__(self) -> Iterator[Peer]:
        """Go through the peers as they are now; they may leave meanwhile."""
        return iter(tuple(self._by_name.values()))

    def add(self, peer: Peer) -> None:
        """Take a peer in; an older connection of the same name is of no use any more."""
        older = self._by_name.get(peer.name)
        if older is not None:
            older.cut()
        self._by_name[peer.name] = peer

    def remove(self, peer: Peer) -> bool:
        """Forget a connection that has ended; whether it was the latest one of its name."""
        if self._by_name.get(peer.name) is not peer:
            return False
        del self._by_name[peer.name]
        return True

    def get(self, name: str) -> Peer | None:
        """Return the peer called ``name``, if it is connected."""
        return self._by_name.get(name)

    def close(self) -> None:
        """Close every connection, after what was sent."""
        for peer in self:
            peer.close()
        self._by_name.clear()

"""The member's connection to its coordinator: heartbeats out, commands in, in a thread of its own.

The connection may be gone for long: training goes on. Whoever leads next is found again through
the addresses in the job's directory, and hears in ``Hello`` how this member stands.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import structlog

from hotswap.channel.blocking import MessageReader, send_message
from hotswap.channel.handshake import prove_client
from hotswap.errors import ConnectionLost, PeerSilent, UnknownMessage, WireError
from hotswap.wire.codec import decode_from_coordinator
from hotswap.wire.messages import FromCoordinator, Heartbeat, Hello, Message, Refused, Welcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hotswap.limits import Limits

_log = structlog.get_logger()

#: Messages kept for the next leader while there is none; the oldest are dropped first.
_KEPT_MAX = 1024


class Endpointed(Protocol):
    """The member as the control thread sees it. Called from that thread."""

    def hello(self) -> Hello:
        """Say how the member stands, for a new connection."""
        ...

    def heartbeat(self) -> Heartbeat:
        """Say that the member is alive."""
        ...

    def command(self, message: FromCoordinator) -> None:
        """Carry out what the coordinator says. Must not wait."""
        ...

    def addresses(self) -> Iterable[tuple[str, int]]:
        """Return where coordinators listen, the latest leader first."""
        ...

    def control_failed(self, error: Exception) -> None:
        """The thread has ended by a fault."""
        ...

    def leader_token(self) -> int:
        """Return the highest fencing token that a coordinator has announced."""
        ...


class ControlThread:
    """Keeps the connection to the leader."""

    def __init__(self, member: Endpointed, *, name: str, key: bytes, limits: Limits) -> None:
        """Prepare; ``start`` connects."""
        self._member = member
        self._name = name
        self._key = key
        self._limits = limits
        self._sending = threading.Lock()
        self._connection: socket.socket | None = None
        self._kept: deque[Message] = deque(maxlen=_KEPT_MAX)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hotswap-control", daemon=True)

    def start(self) -> None:
        """Begin to look for the leader."""
        self._thread.start()

    def send(self, message: Message, *, keep: bool = False) -> None:
        """Send a message to the leader, if there is one. Any thread.

        Args:
            message: what to say.
            keep: if nobody leads, say it to the next leader.

        """
        with self._sending:
            connection = self._connection
            if connection is not None and self._try(connection, message):
                return
            if keep:
                self._kept.append(message)

    def close(self) -> None:
        """End the connection, after what was sent."""
        self._ending.set()
        with self._sending:
            connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        if self._thread is not threading.current_thread():
            self._thread.join(self._limits.connect_s)

    def _try(self, connection: socket.socket, message: Message) -> bool:
        try:
            send_message(connection, message, limits=self._limits)
        except (ConnectionLost, PeerSilent):
            # The reader notices too, and connects again.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            self._connection = None
            return False
        return True

    def _run(self) -> None:
        try:
            self._look_for_leaders()
        except Exception as error:
            # Whatever it was: a member that can't be reached would never learn that it lost.
            self._member.control_failed(error)
            raise

    def _look_for_leaders(self) -> None:
        while not self._ending.is_set():
            for address in self._member.addresses():
                try:
                    self._serve(address)
                except (WireError, OSError) as error:
                    _log.debug("coordinator_unavailable", address=address, detail=str(error))
                if self._ending.is_set():
                    return
            self._ending.wait(self._limits.reconnect_s)

    def _serve(self, address: tuple[str, int]) -> None:
        """Talk to the coordinator at ``address`` until it is gone or says that it does not lead."""
        with socket.create_connection(address, timeout=self._limits.connect_s) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            prove_client(
                connection,
                key=self._key,
                purpose="control",
                name=self._name,
                timeout_s=self._limits.handshake_s,
            )
            reader = MessageReader(connection, decode=decode_from_coordinator, limits=self._limits)
            send_message(connection, self._member.hello(), limits=self._limits)
            answer = reader.read(timeout_s=self._limits.answer_s)
            if isinstance(answer, Refused) and answer.code == "not_leader":
                return
            self._member.command(answer)
            if isinstance(answer, Welcome):
                self._follow(connection, reader, token=answer.token)

    def _follow(
        self, connection: socket.socket, reader: MessageReader[FromCoordinator], *, token: int
    ) -> None:
        # A time-out belongs to a socket object: the sender's must not be that of the reader.
        with connection.dup() as sender:
            sender.settimeout(self._limits.answer_s)
            with self._sending:
                self._connection = sender
                kept = list(self._kept)
                self._kept.clear()
            for message in kept:
                self.send(message, keep=True)
            try:
                self._listen(sender, reader, token=token)
            finally:
                with self._sending:
                    self._connection = None

    def _listen(
        self, sender: socket.socket, reader: MessageReader[FromCoordinator], *, token: int
    ) -> None:
        due_s = time.monotonic()
        while not self._ending.is_set() and self._connection is sender:
            now_s = time.monotonic()
            if now_s >= due_s:
                if self._member.leader_token() > token:
                    # The leader of this connection is frozen, which a connection does not show.
                    return
                self.send(self._member.heartbeat())
                due_s = now_s + self._limits.heartbeat_s
            try:
                self._member.command(reader.read(timeout_s=max(due_s - time.monotonic(), 0.001)))
            except PeerSilent:
                continue
            except UnknownMessage as error:
                _log.warning("unknown_command", detail=str(error))

"""The port of a coordinator: accepts, reads, and closes what doesn't belong to the job."""

import asyncio
import errno
from typing import Final, Protocol

import structlog

from hotswap.channel.streams import StreamFrames, message_frame
from hotswap.coordinator.admission import Door
from hotswap.coordinator.peers import ALLOWED, Peer
from hotswap.errors import BadFrame, ConnectionLost, PortInUse, UnknownMessage, WireError
from hotswap.wire.codec import decode_to_coordinator
from hotswap.wire.messages import Hello, Refused, ToCoordinator

_log = structlog.get_logger()

#: Messages of one peer that are handled before others get their turn.
BURST_MAX: Final = 64
#: Kinds of trouble that are remembered, so that each is logged once per peer.
TROUBLES_MAX: Final = 1024


class Desk(Protocol):
    """What is done with those who got in. Called in the event loop; none of it may wait.

    For each connection: ``refusal``; unless that refuses, ``joined`` once, ``received`` any number
    of times, and ``left`` once. An error that one of them raises goes to ``failed``.
    """

    def refusal(self, hello: Hello) -> Refused | None:
        """Say why the sender of ``hello`` can't be served here; None: it can."""

    def joined(self, peer: Peer, hello: Hello) -> None:
        """Take in a connection."""

    def received(self, peer: Peer, message: ToCoordinator) -> None:
        """Take in a message, of a kind that the peer's role may send."""

    def left(self, peer: Peer) -> None:
        """Learn that a connection has ended."""

    def failed(self, error: BaseException) -> None:
        """Learn that one of these calls has failed: what it left behind can't be relied on."""


class Listener:
    """Accepts the connections of one job."""

    def __init__(self, desk: Desk, door: Door) -> None:
        """Prepare; ``open`` listens."""
        self._desk = desk
        self._door = door
        self._limits = door.limits
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._strangers = 0
        self._troubles: set[tuple[str, str]] = set()

    async def open(self, *, host: str, port: int) -> int:
        """Listen; return the port, which the system chooses when ``port`` is 0.

        Raises:
            PortInUse: another process listens there.

        """
        try:
            self._server = await asyncio.start_server(self._accept, host, port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortInUse(host=host, port=port) from error
            raise
        listening: int = self._server.sockets[0].getsockname()[1]
        return listening

    async def close(self) -> None:
        """Stop listening and end every connection, within ``farewell_s``.

        What was sent before is delivered, as far as the peers take it in that time.
        """
        if self._server is not None:
            self._server.close()
        tasks = list(self._connections)
        for writer in self._connections.values():
            writer.close()
        if tasks:
            await asyncio.wait(tasks, timeout=self._limits.farewell_s)
        for writer in self._connections.values():
            writer.transport.abort()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._strangers >= self._limits.strangers_max:
            self._trouble(_host(writer), "too_many_strangers", "see HOTSWAP_STRANGERS_MAX")
            writer.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._connections[task] = writer
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._connections[task]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._desk.failed(error)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end."""
        try:
            self._strangers += 1
            try:
                hello, frames = await self._door.admit(reader, writer)
            finally:
                self._strangers -= 1
            refused = self._desk.refusal(hello)
            if refused is None:
                await self._attend(self._peer(writer, hello), hello, frames)
            else:
                writer.write(message_frame(refused, limits=self._limits))
        except ConnectionLost:
            pass  # whoever it was has gone, as everybody does in the end
        except WireError as error:
            self._trouble(_host(writer), error.code, str(error))
            refused = Refused(code=error.code, detail=str(error))
            writer.write(message_frame(refused, limits=self._limits))
        finally:
            writer.close()

    async def _attend(self, peer: Peer, hello: Hello, frames: StreamFrames) -> None:
        """Take in a peer's messages until the connection ends."""
        self._desk.joined(peer, hello)
        try:
            while True:
                for _ in range(BURST_MAX):
                    self._take(peer, await frames.read())
                await asyncio.sleep(0)  # the others' turn
        finally:
            self._desk.left(peer)

    def _take(self, peer: Peer, payload: bytes) -> None:
        try:
            message = decode_to_coordinator(payload)
        except UnknownMessage as error:
            # of a later version, so something that can be done without
            self._trouble(peer.name, error.code, str(error))
            return
        if type(message) not in ALLOWED[peer.role]:
            raise BadFrame(f"{peer.name} is a {peer.role}, which sends no {type(message).__name__}")
        self._desk.received(peer, message)

    def _peer(self, writer: asyncio.StreamWriter, hello: Hello) -> Peer:
        return Peer(writer, name=hello.name, role=hello.role, limits=self._limits)

    def _trouble(self, who: str, code: str, detail: str) -> None:
        """Log what is wrong with a peer, once: a port scanner must not fill the disk."""
        if (who, code) in self._troubles or len(self._troubles) >= TROUBLES_MAX:
            return
        self._troubles.add((who, code))
        _log.warning("connection_refused", peer=who, code=code, detail=detail)


def _host(writer: asyncio.StreamWriter) -> str:
    """Say where a connection comes from, without the port, which is another each time."""
    address = writer.get_extra_info("peername")
    return str(address[0]) if address else "unknown"

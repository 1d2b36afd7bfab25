"""A coordinator that says what a test tells it to say, over real sockets and the real handshake."""

import asyncio
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

from hotswap.channel.addresses import Address, announce
from hotswap.channel.handshake import accept_client_async
from hotswap.channel.streams import StreamFrames, message_frame
from hotswap.errors import WireError
from hotswap.limits import Limits
from hotswap.wire.codec import decode_to_coordinator
from hotswap.wire.messages import Hello, Message, Refused, ToCoordinator, Welcome

LIMITS = Limits()
WAIT_S = 20.0

Answers = Callable[[ToCoordinator], Iterable[Message]]


def silent(message: ToCoordinator) -> Iterable[Message]:
    """Answer nothing."""
    del message
    return ()


class FakeCoordinator:
    """Listens on loopback in a thread of its own; a context manager.

    ``answers`` is called for each message but Hello. ``leader`` makes it one that does not lead
    and names another; ``received`` is all that it was told, Hello included.
    """

    def __init__(
        self,
        job_directory: Path,
        *,
        key: bytes,
        name: str = "coordinator-0",
        answers: Answers = silent,
        token: int = 1,
        leader: str | None = None,
        refusal: Refused | None = None,
    ) -> None:
        self.received: list[ToCoordinator] = []
        self.address = Address("127.0.0.1", 0)
        self._answers = answers
        self._key = key
        self._welcome: Message = refusal or Welcome(token=token, leader=name, world_size=2)
        if leader is not None:
            self._welcome = Refused(code="not_leader", detail="it does not lead", leader=leader)
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        self._greeted: list[asyncio.StreamWriter] = []
        self._ready = threading.Event()
        self._heard = threading.Condition()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()))
        self._thread.start()
        assert self._ready.wait(WAIT_S)
        announced = 0 if leader is not None else token
        announce(job_directory, name=name, address=self.address, token=announced)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop listening and cut every connection, as if killed."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join(WAIT_S)

    def push(self, message: Message) -> None:
        """Send something to everybody that is connected."""
        self._loop.call_soon_threadsafe(self._push, message)

    def cut(self) -> None:
        """Cut every connection, and go on listening."""
        self._loop.call_soon_threadsafe(self._cut)

    def wait_for(self, *, kind: type[Message], count: int = 1) -> list[ToCoordinator]:
        """Wait until so many messages of a kind have arrived, and return them."""

        def those() -> list[ToCoordinator]:
            return [message for message in self.received if isinstance(message, kind)]

        with self._heard:
            assert self._heard.wait_for(lambda: len(those()) >= count, WAIT_S), self.received
        return those()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = Address(*server.sockets[0].getsockname()[:2])
        self._ready.set()
        await self._stopped.wait()
        server.close()
        tasks = [task for task in self._connections.values() if task is not None]
        self._cut()
        if tasks:
            await asyncio.wait(tasks, timeout=WAIT_S)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections[writer] = asyncio.current_task()
        try:
            await accept_client_async(
                reader, writer, key=self._key, purpose="control", timeout_s=WAIT_S
            )
            frames = StreamFrames(reader, payload_nbytes_max=LIMITS.control_frame_nbytes_max)
            while True:
                self._hear(decode_to_coordinator(await frames.read()), writer)
        except (WireError, OSError):
            writer.close()
            del self._connections[writer]

    def _hear(self, message: ToCoordinator, writer: asyncio.StreamWriter) -> None:
        if isinstance(message, Hello):
            self._greeted.append(writer)
            answers: Iterable[Message] = (self._welcome,)
        else:
            answers = self._answers(message)
        with self._heard:
            self.received.append(message)
            self._heard.notify_all()
        for answer in answers:
            writer.write(message_frame(answer, limits=LIMITS))

    def _push(self, message: Message) -> None:
        for writer in self._greeted:
            writer.write(message_frame(message, limits=LIMITS))

    def _cut(self) -> None:
        self._greeted.clear()
        for writer in self._connections:
            writer.transport.abort()

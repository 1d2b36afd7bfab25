"""The other end of a coordinator's connection, driven by a test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from hotswap.channel.handshake import prove_client_async
from hotswap.channel.streams import StreamFrames, message_frame
from hotswap.limits import Limits
from hotswap.wire.codec import decode_from_coordinator
from hotswap.wire.messages import PROTOCOL_VERSION, FromCoordinator, Hello, Message

KEY = bytes(range(32))
JOB = "gpt"
HOST = "127.0.0.1"
#: Only keeps a failing test from hanging.
WAIT_S = 20.0

_Expected = TypeVar("_Expected", bound=Message)


class Scripted:
    """One connection to a coordinator."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limits: Limits
    ) -> None:
        self.writer = writer
        self.seen: list[FromCoordinator] = []
        self._limits = limits
        self._frames = StreamFrames(reader, payload_nbytes_max=limits.control_frame_nbytes_max)

    def send(self, *messages: Message) -> None:
        for message in messages:
            self.writer.write(message_frame(message, limits=self._limits))

    async def next(self) -> FromCoordinator:
        async with asyncio.timeout(WAIT_S):
            message = decode_from_coordinator(await self._frames.read())
        self.seen.append(message)
        return message

    async def until(self, kind: type[_Expected], **fields: object) -> _Expected:
        """Read until a message of a kind, and with the fields given, has come."""
        while True:
            message = await self.next()
            if isinstance(message, kind) and all(
                getattr(message, name) == value for name, value in fields.items()
            ):
                return message


def hello(name: str = "node-0", **fields: object) -> Hello:
    defaults = {"protocol": PROTOCOL_VERSION, "job": JOB, "role": "member", "pid": 1}
    # a test may set any field
    return Hello(name=name, **(defaults | fields))  # type: ignore[arg-type]


@asynccontextmanager
async def connected(
    port: int, *, name: str = "node-0", key: bytes = KEY, limits: Limits | None = None
) -> AsyncIterator[Scripted]:
    """Connect and go through the handshake; the Hello is left to the test."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        await prove_client_async(
            reader, writer, key=key, purpose="control", name=name, timeout_s=WAIT_S
        )
        yield Scripted(reader, writer, limits or Limits())
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

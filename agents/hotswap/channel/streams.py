"""Control messages over asyncio streams."""

import asyncio

from hotswap.errors import ConnectionLost
from hotswap.limits import Limits
from hotswap.wire.codec import encode_message
from hotswap.wire.frames import FrameDecoder, encode_frame
from hotswap.wire.messages import Message


class StreamFrames:
    """Reads frames, and never a byte beyond the one asked for."""

    def __init__(self, reader: asyncio.StreamReader, *, payload_nbytes_max: int) -> None:
        """Read from ``reader``; larger payloads are refused."""
        self._reader = reader
        self._decoder = FrameDecoder(payload_nbytes_max=payload_nbytes_max)

    async def read(self) -> bytes:
        """Wait for the next payload; limit the wait with `asyncio.timeout`.

        Raises:
            ConnectionLost: the connection has ended, between two frames or within one.
            BadFrame, UnknownProtocolVersion: the stream can't be followed any further.

        """
        while (payload := self._decoder.pop()) is None:
            try:
                data = await self._reader.read(self._decoder.missing_nbytes)
            except OSError as error:
                raise ConnectionLost(f"the connection failed ({error}): connect again") from error
            if not data:
                cut = " in the middle of a message" if self._decoder.is_within_frame else ""
                raise ConnectionLost(f"the peer has closed the connection{cut}: connect again")
            self._decoder.feed(data)
        return payload


def message_frame(message: Message, *, limits: Limits) -> bytes:
    """Return the frame that carries ``message``, to be written to any number of connections.

    Raises:
        BadFrame: it is larger than ``limits.control_frame_nbytes_max``.

    """
    payload_nbytes_max = limits.control_frame_nbytes_max
    return encode_frame(encode_message(message), payload_nbytes_max=payload_nbytes_max)

"""Frames of a control connection: where a message begins and ends, and which version it speaks.

A frame is a header of ten bytes and a payload::

    offset  size  field
         0     4  magic: "HSWP"
         4     1  version of the protocol
         5     1  reserved: 0
         6     4  length of the payload in bytes, big-endian
        10     -  payload

Pure: bytes in, payloads out; sockets are the business of ``hotswap.channel.blocking`` and
``hotswap.channel.streams``.
"""

import struct
from typing import Final

from hotswap.errors import BadFrame, UnknownProtocolVersion
from hotswap.wire.messages import PROTOCOL_VERSION

MAGIC: Final = b"HSWP"
HEADER: Final = struct.Struct(">4sBBI")

_VERSION_OFFSET: Final = len(MAGIC)
# so much of unexpected bytes is shown: enough to recognise HTTP or TLS, too little to leak much
_SHOWN_NBYTES: Final = 8


def encode_frame(payload: bytes, *, payload_nbytes_max: int) -> bytes:
    """Return the frame that carries ``payload``.

    Raises:
        BadFrame: the payload is larger than ``payload_nbytes_max``, so the peer would refuse it.

    """
    _check_length(len(payload), payload_nbytes_max)
    return HEADER.pack(MAGIC, PROTOCOL_VERSION, 0, len(payload)) + payload


class FrameDecoder:
    """Turns a stream of bytes, cut anywhere, into the payloads of its frames.

    1. ``feed`` what has arrived;
    2. ``pop`` until it returns None;
    3. at the end of the stream, ``is_within_frame`` tells whether something was cut off.

    After an error the stream can't be followed any further: every later ``pop`` raises it again.
    """

    def __init__(self, *, payload_nbytes_max: int) -> None:
        """Refuse frames whose payload is larger than ``payload_nbytes_max``."""
        self._payload_nbytes_max = payload_nbytes_max
        self._buffer = bytearray()

    @property
    def is_within_frame(self) -> bool:
        """Whether a frame has begun and not ended."""
        return bool(self._buffer)

    @property
    def missing_nbytes(self) -> int:
        """Bytes up to the end of the next part: a reader that asks for so many never overreads."""
        if len(self._buffer) < HEADER.size:
            return HEADER.size - len(self._buffer)
        return max(0, self._end() - len(self._buffer))

    def feed(self, data: bytes) -> None:
        """Append bytes in the order in which they arrived."""
        self._buffer += data

    def pop(self) -> bytes | None:
        """Return the next payload, or None as long as it isn't complete.

        Raises:
            BadFrame: what arrived isn't a frame, or is larger than allowed.
            UnknownProtocolVersion: it's a frame of another version.

        """
        self._check_header()
        if len(self._buffer) < HEADER.size or len(self._buffer) < self._end():
            return None
        end = self._end()
        payload = bytes(self._buffer[HEADER.size : end])
        del self._buffer[:end]
        return payload

    def _end(self) -> int:
        length: int = HEADER.unpack_from(self._buffer)[3]
        return HEADER.size + length

    def _check_header(self) -> None:
        """Refuse a bad header as soon as its first bad byte is there."""
        start = bytes(self._buffer[: len(MAGIC)])
        if not MAGIC.startswith(start):
            shown = bytes(self._buffer[:_SHOWN_NBYTES])
            raise BadFrame(
                f"the peer does not speak hotswap's control protocol: it sent {shown!r} where a "
                f"frame begins with {MAGIC!r}; close the connection"
            )
        if len(self._buffer) <= _VERSION_OFFSET:
            return
        version = self._buffer[_VERSION_OFFSET]
        if version != PROTOCOL_VERSION:
            raise UnknownProtocolVersion(expected=PROTOCOL_VERSION, received=version)
        if len(self._buffer) < HEADER.size:
            return
        _, _, reserved, length = HEADER.unpack_from(self._buffer)
        if reserved:
            raise BadFrame(f"the reserved byte of a frame is {reserved}, not 0: close it")
        _check_length(length, self._payload_nbytes_max)


def _check_length(length: int, payload_nbytes_max: int) -> None:
    if length > payload_nbytes_max:
        raise BadFrame(
            f"a frame of {length} bytes is larger than the {payload_nbytes_max} bytes allowed on "
            "this connection (HOTSWAP_CONTROL_FRAME_NBYTES_MAX, once it is authenticated)"
        )

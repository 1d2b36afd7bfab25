"""Frames over asyncio streams: whole and in order, or a clear error."""

import asyncio

import pytest

from hotswap.channel.streams import StreamFrames, message_frame
from hotswap.errors import BadFrame, ConnectionLost
from hotswap.limits import Limits
from hotswap.wire.codec import decode_to_coordinator
from hotswap.wire.frames import encode_frame
from hotswap.wire.messages import Heartbeat, PeerLost

LIMITS = Limits()


def stream(data: bytes) -> StreamFrames:
    """Return the frames of a peer that sent ``data`` and closed the connection."""
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return StreamFrames(reader, payload_nbytes_max=100)


async def test_frames_arrive_in_order_and_then_the_end() -> None:
    frames = stream(
        b"".join(encode_frame(each, payload_nbytes_max=9) for each in (b"a", b"", b"c"))
    )
    assert [await frames.read() for _ in range(3)] == [b"a", b"", b"c"]
    with pytest.raises(ConnectionLost, match="closed the connection:"):
        await frames.read()


async def test_a_cut_within_a_frame_is_told() -> None:
    with pytest.raises(ConnectionLost, match="in the middle of a message"):
        await stream(encode_frame(b"payload", payload_nbytes_max=9)[:-1]).read()


async def test_a_failed_connection_is_told() -> None:
    reader = asyncio.StreamReader()
    reader.set_exception(ConnectionResetError("reset by peer"))
    with pytest.raises(ConnectionLost, match="reset by peer"):
        await StreamFrames(reader, payload_nbytes_max=100).read()


async def test_garbage_is_refused() -> None:
    with pytest.raises(BadFrame):
        await stream(b"GET / HTTP/1.1\r\n\r\n").read()


async def test_a_message_frame_carries_the_message() -> None:
    message = Heartbeat(epoch=3, committed=4)
    assert (
        decode_to_coordinator(await stream(message_frame(message, limits=LIMITS)).read()) == message
    )


def test_a_message_beyond_the_limit_makes_no_frame() -> None:
    detail = "x" * LIMITS.control_frame_nbytes_max
    with pytest.raises(BadFrame):
        message_frame(PeerLost(epoch=1, detail=detail), limits=LIMITS)

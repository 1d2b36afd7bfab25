"""Messages over a blocking socket: whole, in order, within their limits, or a clear error."""

import socket
import threading
from collections.abc import Iterator

import pytest

from hotswap.channel.blocking import FrameReader, MessageReader, send_message
from hotswap.errors import BadFrame, ConnectionLost, PeerSilent, UnknownMessage
from hotswap.limits import Limits
from hotswap.wire.codec import decode_to_coordinator
from hotswap.wire.frames import encode_frame
from hotswap.wire.messages import Heartbeat, PeerLost, Shutdown, ToCoordinator

LIMITS = Limits()
#: Only keeps a failing test from hanging.
WAIT_S = 10.0

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    left, right = socket.socketpair()
    with left, right:
        left.settimeout(WAIT_S)
        right.settimeout(WAIT_S)
        yield left, right


def reader(sock: socket.socket) -> MessageReader[ToCoordinator]:
    return MessageReader(sock, decode=decode_to_coordinator, limits=LIMITS)


def test_messages_arrive_in_order(pair: Pair) -> None:
    sent = [Heartbeat(epoch=1, committed=step) for step in range(20)]
    for message in sent:
        send_message(pair[0], message, limits=LIMITS)
    messages = reader(pair[1])
    assert [messages.read() for _ in sent] == sent


def test_a_reader_takes_no_byte_beyond_its_frame(pair: Pair) -> None:
    send_message(pair[0], Heartbeat(epoch=1), limits=LIMITS)
    pair[0].sendall(b"another format")
    assert reader(pair[1]).read() == Heartbeat(epoch=1)
    assert pair[1].recv(100) == b"another format"


def test_a_message_of_any_size_up_to_the_limit_arrives(pair: Pair) -> None:
    detail = "x" * (LIMITS.control_frame_nbytes_max - 100)
    sender = threading.Thread(
        target=send_message,
        args=(pair[0], PeerLost(epoch=1, detail=detail)),
        kwargs={"limits": LIMITS},
    )
    sender.start()
    assert reader(pair[1]).read() == PeerLost(epoch=1, detail=detail)
    sender.join(WAIT_S)


def test_a_message_beyond_the_limit_is_not_sent(pair: Pair) -> None:
    detail = "x" * LIMITS.control_frame_nbytes_max
    with pytest.raises(BadFrame, match="larger than"):
        send_message(pair[0], PeerLost(epoch=1, detail=detail), limits=LIMITS)


def test_silence_ends_the_wait_and_reading_goes_on_afterwards(pair: Pair) -> None:
    frame = encode_frame(b"payload", payload_nbytes_max=100)
    frames = FrameReader(pair[1], payload_nbytes_max=100)
    pair[0].sendall(frame[:7])
    with pytest.raises(PeerSilent):
        frames.read(timeout_s=0.01)
    assert pair[1].gettimeout() == WAIT_S
    pair[0].sendall(frame[7:])
    assert frames.read(timeout_s=WAIT_S) == b"payload"


def test_the_sockets_own_time_out_counts_where_none_is_given(pair: Pair) -> None:
    pair[1].settimeout(0.01)
    with pytest.raises(PeerSilent):
        reader(pair[1]).read()


def test_the_end_of_the_stream_is_told_from_a_cut_within_a_message(pair: Pair) -> None:
    pair[0].sendall(encode_frame(b"payload", payload_nbytes_max=100)[:12])
    pair[0].close()
    with pytest.raises(ConnectionLost, match="in the middle of a message"):
        FrameReader(pair[1], payload_nbytes_max=100).read()


def test_a_closed_connection_is_told_to_readers_and_senders(pair: Pair) -> None:
    pair[0].close()
    with pytest.raises(ConnectionLost, match="closed the connection:"):
        reader(pair[1]).read()
    with pytest.raises(ConnectionLost):
        send_message(pair[1], Heartbeat(epoch=1), limits=LIMITS)


def test_a_peer_that_takes_nothing_is_given_up(pair: Pair) -> None:
    pair[0].settimeout(0.01)
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    with pytest.raises(PeerSilent, match="takes no more"):
        send_message(pair[0], PeerLost(epoch=1, detail="x" * 500_000), limits=LIMITS)


def test_an_unknown_message_does_not_end_the_stream(pair: Pair) -> None:
    send_message(pair[0], Shutdown(token=1, ok=True, reason=""), limits=LIMITS)
    send_message(pair[0], Heartbeat(epoch=1), limits=LIMITS)
    messages = reader(pair[1])
    with pytest.raises(UnknownMessage):
        messages.read()
    assert messages.read() == Heartbeat(epoch=1)

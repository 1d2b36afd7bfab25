"""Control messages over blocking sockets."""

import socket
import time
from typing import Generic, TypeVar

from hotswap.errors import ConnectionLost, PeerSilent
from hotswap.limits import Limits
from hotswap.wire.codec import Decode, encode_message
from hotswap.wire.frames import FrameDecoder, encode_frame
from hotswap.wire.messages import Message

_Received = TypeVar("_Received")


def send_message(sock: socket.socket, message: Message, *, limits: Limits) -> None:
    """Send one message; not to be called from two threads at a time.

    Raises:
        BadFrame: the message is larger than ``limits.control_frame_nbytes_max``.
        PeerSilent: the peer took nothing for as long as the socket's time-out; after that the
            connection is of no use, as a part of the frame may have been sent.
        ConnectionLost: the connection has ended.

    """
    payload_nbytes_max = limits.control_frame_nbytes_max
    send_frame(sock, encode_frame(encode_message(message), payload_nbytes_max=payload_nbytes_max))


def send_frame(sock: socket.socket, frame: bytes) -> None:
    """Send an encoded frame; raises `PeerSilent` and `ConnectionLost` as `send_message` does."""
    try:
        sock.sendall(frame)
    except TimeoutError as error:
        raise PeerSilent("the peer takes no more bytes: close the connection") from error
    except OSError as error:
        raise _lost(error) from error


class FrameReader:
    """Reads frames, and never a byte beyond the one asked for.

    So a connection can change to another format after any frame.
    """

    def __init__(self, sock: socket.socket, *, payload_nbytes_max: int) -> None:
        """Read from ``sock``; larger payloads are refused."""
        self._sock = sock
        self._decoder = FrameDecoder(payload_nbytes_max=payload_nbytes_max)

    def read(self, *, timeout_s: float | None = None) -> bytes:
        """Wait for the next payload, at most ``timeout_s``, or the socket's own time-out per part.

        Raises:
            PeerSilent: it did not arrive in time; reading may go on where it stopped.
            ConnectionLost: the connection has ended, between two frames or within one.
            BadFrame, UnknownProtocolVersion: the stream can't be followed any further.

        """
        former_s = self._sock.gettimeout()
        deadline_s = None if timeout_s is None else time.monotonic() + timeout_s
        try:
            while (payload := self._decoder.pop()) is None:
                if deadline_s is not None:
                    self._sock.settimeout(_remaining(deadline_s))
                self._decoder.feed(self._receive())
        finally:
            if deadline_s is not None:
                self._sock.settimeout(former_s)
        return payload

    def _receive(self) -> bytes:
        try:
            data = self._sock.recv(self._decoder.missing_nbytes)
        except (TimeoutError, BlockingIOError) as error:
            raise _silent() from error
        except OSError as error:
            raise _lost(error) from error
        if not data:
            cut = " in the middle of a message" if self._decoder.is_within_frame else ""
            raise ConnectionLost(f"the peer has closed the connection{cut}: connect again")
        return data


class MessageReader(Generic[_Received]):
    """Reads messages of one direction."""

    def __init__(self, sock: socket.socket, *, decode: Decode[_Received], limits: Limits) -> None:
        """Read from ``sock`` what ``decode`` understands: see `hotswap.wire.codec`."""
        self._frames = FrameReader(sock, payload_nbytes_max=limits.control_frame_nbytes_max)
        self._decode = decode

    def read(self, *, timeout_s: float | None = None) -> _Received:
        """Wait for the next message.

        Raises what `FrameReader.read` raises, and `UnknownMessage`, after which reading may go on.
        """
        return self._decode(self._frames.read(timeout_s=timeout_s))


def _remaining(deadline_s: float) -> float:
    remaining_s = deadline_s - time.monotonic()
    if remaining_s <= 0:
        raise _silent()
    return remaining_s


def _silent() -> PeerSilent:
    return PeerSilent("the peer sent nothing in time: close the connection, or wait on")


def _lost(error: OSError) -> ConnectionLost:
    return ConnectionLost(f"the connection failed ({error.strerror or error}): connect again")

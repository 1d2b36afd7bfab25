"""Runs the exchange of ``hotswap.wire.handshake`` on a new connection, before anything else.

The key is the job's, 32 random bytes that the launcher puts into ``HOTSWAP_JOB_KEY``. No byte
beyond the exchange is read, so any format can follow on the connection. On an error the connection
has to be closed.
"""

import asyncio
import contextlib
import secrets
import socket
import time

from hotswap.channel.blocking import FrameReader, send_frame
from hotswap.channel.streams import StreamFrames
from hotswap.errors import ConnectionLost, NotAuthenticated, PeerSilent
from hotswap.wire.frames import encode_frame
from hotswap.wire.handshake import (
    HANDSHAKE_FRAME_NBYTES_MAX,
    NONCE_NBYTES,
    Purpose,
    Server,
    client_exchange,
    deny,
    server_exchange,
)


def prove_client(
    sock: socket.socket, *, key: bytes, purpose: Purpose, name: str, timeout_s: float
) -> None:
    """Prove to the server behind ``sock`` who this is, and have it prove itself.

    Args:
        sock: connected blocking socket; its own time-out is kept.
        key: the job's key.
        purpose: what the connection is for; both ends have to agree.
        name: of this process, unique in the job.
        timeout_s: limit for the whole exchange, ``handshake_s``.

    Raises:
        NotAuthenticated: one of the two ends has another key.
        PeerSilent: the exchange took longer than ``timeout_s``.
        ConnectionLost, BadFrame, UnknownProtocolVersion: no such server there.

    """
    exchange = client_exchange(
        key=key, purpose=purpose, name=name, nonce=secrets.token_bytes(NONCE_NBYTES)
    )
    frames = _TimedFrames(sock, timeout_s=timeout_s)
    outgoing = next(exchange)
    with contextlib.suppress(StopIteration):
        while True:
            if outgoing is not None:
                frames.send(outgoing)
            outgoing = exchange.send(frames.read())


def accept_client(sock: socket.socket, *, key: bytes, purpose: Purpose, timeout_s: float) -> str:
    """Have the client behind ``sock`` prove who it is, prove this end too; return its name.

    Raises as `prove_client` does; a client that isn't authenticated has been told so.
    """
    exchange = server_exchange(key=key, purpose=purpose, nonce=secrets.token_bytes(NONCE_NBYTES))
    frames = _TimedFrames(sock, timeout_s=timeout_s)
    frames.send(next(exchange))
    payload = frames.read()
    try:
        name, acceptance = _judge(exchange, payload)
    except NotAuthenticated as error:
        # it is refused whether it hears why or not
        with contextlib.suppress(ConnectionLost, PeerSilent):
            frames.send(deny(error))
        raise
    frames.send(acceptance)
    return name


async def prove_client_async(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    key: bytes,
    purpose: Purpose,
    name: str,
    timeout_s: float,
) -> None:
    """Do what `prove_client` does, over asyncio streams."""
    exchange = client_exchange(
        key=key, purpose=purpose, name=name, nonce=secrets.token_bytes(NONCE_NBYTES)
    )
    frames = StreamFrames(reader, payload_nbytes_max=HANDSHAKE_FRAME_NBYTES_MAX)
    outgoing = next(exchange)
    try:
        async with asyncio.timeout(timeout_s):
            while True:
                if outgoing is not None:
                    writer.write(_frame(outgoing))
                outgoing = exchange.send(await frames.read())
    except StopIteration:
        return
    except TimeoutError as error:
        raise _silent(timeout_s) from error


async def accept_client_async(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    key: bytes,
    purpose: Purpose,
    timeout_s: float,
) -> str:
    """Do what `accept_client` does, over asyncio streams."""
    exchange = server_exchange(key=key, purpose=purpose, nonce=secrets.token_bytes(NONCE_NBYTES))
    frames = StreamFrames(reader, payload_nbytes_max=HANDSHAKE_FRAME_NBYTES_MAX)
    writer.write(_frame(next(exchange)))
    try:
        async with asyncio.timeout(timeout_s):
            payload = await frames.read()
    except TimeoutError as error:
        raise _silent(timeout_s) from error
    try:
        name, acceptance = _judge(exchange, payload)
    except NotAuthenticated as error:
        writer.write(_frame(deny(error)))
        raise
    writer.write(_frame(acceptance))
    return name


def _judge(exchange: Server, payload: bytes) -> tuple[str, bytes]:
    """Return the name of a client that has proved itself, and the answer to it."""
    try:
        exchange.send(payload)
    except StopIteration as end:
        name, acceptance = end.value
        return name, acceptance
    raise AssertionError("a server's exchange has one answer")


class _TimedFrames:
    """Frames both ways, all of them within one limit."""

    def __init__(self, sock: socket.socket, *, timeout_s: float) -> None:
        self._sock = sock
        self._reader = FrameReader(sock, payload_nbytes_max=HANDSHAKE_FRAME_NBYTES_MAX)
        self._timeout_s = timeout_s
        self._deadline_s = time.monotonic() + timeout_s

    def send(self, payload: bytes) -> None:
        former_s = self._sock.gettimeout()
        self._sock.settimeout(self._remaining())
        try:
            send_frame(self._sock, _frame(payload))
        finally:
            self._sock.settimeout(former_s)

    def read(self) -> bytes:
        try:
            return self._reader.read(timeout_s=self._remaining())
        except PeerSilent as error:
            raise _silent(self._timeout_s) from error

    def _remaining(self) -> float:
        remaining_s = self._deadline_s - time.monotonic()
        if remaining_s <= 0:
            raise _silent(self._timeout_s)
        return remaining_s


def _frame(payload: bytes) -> bytes:
    return encode_frame(payload, payload_nbytes_max=HANDSHAKE_FRAME_NBYTES_MAX)


def _silent(timeout_s: float) -> PeerSilent:
    return PeerSilent(
        f"the handshake was not over within {timeout_s:g} s (HOTSWAP_HANDSHAKE_S): the peer is "
        "slow or frozen, or no part of this job; close the connection"
    )

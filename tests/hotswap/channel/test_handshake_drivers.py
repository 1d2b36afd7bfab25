"""The handshake over real sockets, blocking and asyncio, in every combination."""

import asyncio
import contextlib
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from hotswap.channel.handshake import (
    accept_client,
    accept_client_async,
    prove_client,
    prove_client_async,
)
from hotswap.errors import BadFrame, ConnectionLost, NotAuthenticated, PeerSilent, WireError

KEY = secrets.token_bytes(32)
OTHER_KEY = secrets.token_bytes(32)
#: Only keeps a failing test from hanging.
WAIT_S = 10.0

Pair = tuple[socket.socket, socket.socket]
Outcome = list[str | WireError | None]


@pytest.fixture
def pair() -> Iterator[Pair]:
    left, right = socket.socketpair()
    with left, right:
        left.settimeout(WAIT_S)
        right.settimeout(WAIT_S)
        yield left, right


def prove(sock: socket.socket, *, key: bytes = KEY, timeout_s: float = WAIT_S) -> None:
    prove_client(sock, key=key, purpose="mirror", name="node-3", timeout_s=timeout_s)


def accept(sock: socket.socket, *, key: bytes = KEY, timeout_s: float = WAIT_S) -> str:
    return accept_client(sock, key=key, purpose="mirror", timeout_s=timeout_s)


def outcome_of(call: Callable[[], str | None], outcome: Outcome) -> None:
    try:
        outcome.append(call())
    except WireError as error:
        outcome.append(error)


def both(client: Callable[[], None], server: Callable[[], str]) -> Outcome:
    """Run both ends; return what the client's and the server's call came to."""
    ends: tuple[Outcome, Outcome] = ([], [])
    thread = threading.Thread(target=outcome_of, args=(client, ends[0]))
    thread.start()
    outcome_of(server, ends[1])
    thread.join(WAIT_S)
    return [*ends[0], *ends[1]]


def test_a_blocking_client_and_a_blocking_server_accept_each_other(pair: Pair) -> None:
    assert both(lambda: prove(pair[0]), lambda: accept(pair[1])) == [None, "node-3"]
    assert [end.gettimeout() for end in pair] == [WAIT_S, WAIT_S]


def test_what_follows_the_handshake_is_left_to_the_caller(pair: Pair) -> None:
    both(lambda: prove(pair[0]), lambda: accept(pair[1]))
    pair[0].sendall(b"from client")
    pair[1].sendall(b"from server")
    assert (pair[1].recv(100), pair[0].recv(100)) == (b"from client", b"from server")


def test_with_different_keys_neither_end_accepts_and_the_client_hears_why(pair: Pair) -> None:
    client, server = both(lambda: prove(pair[0], key=OTHER_KEY), lambda: accept(pair[1]))
    assert isinstance(client, NotAuthenticated)
    assert isinstance(server, NotAuthenticated)
    assert str(client) == str(server)
    assert KEY.hex() not in str(client)


def test_a_silent_peer_is_given_up_within_the_limit(pair: Pair) -> None:
    with pytest.raises(PeerSilent, match="HOTSWAP_HANDSHAKE_S"):
        prove(pair[0], timeout_s=0.01)
    with pytest.raises(PeerSilent, match="HOTSWAP_HANDSHAKE_S"):
        accept(pair[1], timeout_s=0.01)


def test_a_peer_that_sends_one_byte_at_a_time_gets_no_more_time_for_it(pair: Pair) -> None:
    stop = threading.Event()

    def trickle() -> None:
        with contextlib.suppress(OSError):
            for byte in b"HSWP\x01\x00\x00\x00\x01\x00" + bytes(256):
                pair[0].sendall(bytes([byte]))
                if stop.wait(0.005):
                    return

    thread = threading.Thread(target=trickle)
    thread.start()
    try:
        with pytest.raises(PeerSilent):
            accept(pair[1], timeout_s=0.1)
    finally:
        stop.set()
        thread.join(WAIT_S)


def test_a_peer_of_another_protocol_is_refused(pair: Pair) -> None:
    pair[0].sendall(b"GET / HTTP/1.1\r\n\r\n")
    with pytest.raises(BadFrame):
        accept(pair[1])


def test_a_large_frame_of_a_stranger_is_refused_by_its_header(pair: Pair) -> None:
    pair[0].sendall(b"HSWP\x01\x00\x00\x10\x00\x00")
    with pytest.raises(BadFrame, match="larger than"):
        accept(pair[1])


def test_a_peer_that_hangs_up_is_told(pair: Pair) -> None:
    pair[0].close()
    with pytest.raises(ConnectionLost):
        accept(pair[1])


@contextlib.asynccontextmanager
async def streams(
    sock: socket.socket,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(sock=sock)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def accept_async(sock: socket.socket, *, key: bytes = KEY, timeout_s: float = WAIT_S) -> str:
    async with streams(sock) as (reader, writer):
        return await accept_client_async(
            reader, writer, key=key, purpose="mirror", timeout_s=timeout_s
        )


async def prove_async(sock: socket.socket, *, key: bytes = KEY, timeout_s: float = WAIT_S) -> None:
    async with streams(sock) as (reader, writer):
        await prove_client_async(
            reader, writer, key=key, purpose="mirror", name="node-3", timeout_s=timeout_s
        )


async def test_an_asyncio_client_and_an_asyncio_server_accept_each_other(pair: Pair) -> None:
    _, name = await asyncio.gather(prove_async(pair[0]), accept_async(pair[1]))
    assert name == "node-3"


async def test_a_blocking_client_and_an_asyncio_server_accept_each_other(pair: Pair) -> None:
    _, name = await asyncio.gather(asyncio.to_thread(prove, pair[0]), accept_async(pair[1]))
    assert name == "node-3"


async def test_asyncio_ends_with_different_keys_refuse_each_other(pair: Pair) -> None:
    client, server = await asyncio.gather(
        prove_async(pair[0], key=OTHER_KEY), accept_async(pair[1]), return_exceptions=True
    )
    assert isinstance(client, NotAuthenticated)
    assert isinstance(server, NotAuthenticated)
    assert str(client) == str(server)


async def test_an_asyncio_server_gives_a_silent_client_up_within_the_limit(pair: Pair) -> None:
    with pytest.raises(PeerSilent, match="HOTSWAP_HANDSHAKE_S"):
        await accept_async(pair[1], timeout_s=0.01)


async def test_an_asyncio_client_gives_a_silent_server_up_within_the_limit(pair: Pair) -> None:
    with pytest.raises(PeerSilent, match="HOTSWAP_HANDSHAKE_S"):
        await prove_async(pair[0], timeout_s=0.01)

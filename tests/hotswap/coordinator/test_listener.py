"""Who belongs to the job gets in; everybody else is closed out and disturbs nobody."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from hotswap.channel.streams import message_frame
from hotswap.coordinator.admission import Door
from hotswap.coordinator.listener import Listener
from hotswap.coordinator.peers import Peer
from hotswap.errors import ConnectionLost, NotAuthenticated, PortInUse
from hotswap.limits import Limits
from hotswap.wire.codec import decode_from_coordinator
from hotswap.wire.frames import HEADER, MAGIC
from hotswap.wire.messages import (
    PROTOCOL_VERSION,
    Heartbeat,
    Hello,
    Message,
    PeerLost,
    Refused,
    Shutdown,
    SwapRequest,
    ToCoordinator,
    Welcome,
)
from tests.hotswap.coordinator.scripted import HOST, JOB, KEY, WAIT_S, connected, hello

LIMITS = Limits()
WELCOME = Welcome(token=1, leader="coordinator-0", world_size=1)


class FakeDesk:
    """Welcomes everybody and notes what happens."""

    def __init__(self) -> None:
        self.refuse: Refused | None = None
        self.fail_on: type[Message] | None = None
        self.peers: list[Peer] = []
        self.events: asyncio.Queue[tuple[str, object]] = asyncio.Queue(maxsize=1000)

    def refusal(self, _hello: Hello) -> Refused | None:
        return self.refuse

    def joined(self, peer: Peer, hello: Hello) -> None:
        self.peers.append(peer)
        peer.send(message_frame(WELCOME, limits=LIMITS))
        self.events.put_nowait(("joined", hello))

    def received(self, peer: Peer, message: ToCoordinator) -> None:
        if self.fail_on is not None and isinstance(message, self.fail_on):
            raise AssertionError("an invariant does not hold")
        self.events.put_nowait((peer.name, message))

    def left(self, peer: Peer) -> None:
        self.events.put_nowait(("left", peer.name))

    def failed(self, error: BaseException) -> None:
        self.events.put_nowait(("failed", error))

    async def next(self) -> tuple[str, object]:
        return await asyncio.wait_for(self.events.get(), WAIT_S)


class World:
    """A listener and its desk."""

    def __init__(self, limits: Limits) -> None:
        self.desk = FakeDesk()
        self.listener = Listener(self.desk, Door(job=JOB, key=KEY, limits=limits))
        self.port = 0


@pytest.fixture
async def world() -> AsyncIterator[World]:
    opened = World(LIMITS)
    opened.port = await opened.listener.open(host=HOST, port=0)
    yield opened
    await opened.listener.close()


async def rest_of(sock_reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(WAIT_S):
        return await sock_reader.read()


async def talk(port: int, data: bytes) -> bytes:
    """Send bytes without a handshake; return all that comes back until the connection is closed."""
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(data)
    try:
        return await rest_of(reader)
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


def refused_in(data: bytes) -> Refused:
    """Return the refusal that ends what a coordinator has sent."""
    frames = []
    while data:
        length = HEADER.unpack_from(data)[3]
        frames.append(data[HEADER.size : HEADER.size + length])
        data = data[HEADER.size + length :]
    message = decode_from_coordinator(frames[-1])
    assert isinstance(message, Refused)
    return message


async def test_a_peer_is_welcomed_heard_and_missed(world: World) -> None:
    async with connected(world.port) as member:
        member.send(hello(), Heartbeat(epoch=1), PeerLost(epoch=1, detail="reset"))
        assert await member.next() == WELCOME
        assert await world.desk.next() == ("joined", hello())
        assert await world.desk.next() == ("node-0", Heartbeat(epoch=1))
        assert await world.desk.next() == ("node-0", PeerLost(epoch=1, detail="reset"))
    assert await world.desk.next() == ("left", "node-0")


async def test_a_connection_that_is_reset_is_a_peer_that_has_left(world: World) -> None:
    async with connected(world.port) as member:
        member.send(hello())
        await member.next()
        sock = member.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        member.writer.transport.abort()
        await world.desk.next()
        assert await world.desk.next() == ("left", "node-0")


async def test_whom_the_desk_refuses_is_told_and_never_joins(world: World) -> None:
    world.desk.refuse = Refused(code="not_leader", detail="", leader="127.0.0.1:4000")
    async with connected(world.port) as member:
        member.send(hello())
        assert await member.next() == world.desk.refuse
        with pytest.raises(ConnectionLost):
            await member.next()
    assert world.desk.events.empty()


@pytest.mark.parametrize(
    "garbage", [b"GET / HTTP/1.1\r\n\r\n", bytes(64), b"\xff" * 5000, MAGIC + b"\x01\x00\xff" * 9]
)
async def test_garbage_is_closed_out_logged_once_and_disturbs_nobody(
    world: World, garbage: bytes
) -> None:
    async with connected(world.port) as member:
        member.send(hello())
        await member.next()
        await world.desk.next()
        with capture_logs() as logs:
            for _ in range(3):
                with suppress(ConnectionError):
                    await talk(world.port, garbage)
        assert [entry["code"] for entry in logs] == ["bad_frame"]
        member.send(Heartbeat(epoch=7))
        assert await world.desk.next() == ("node-0", Heartbeat(epoch=7))


async def test_a_frame_of_another_version_is_refused_with_both_versions(world: World) -> None:
    answer = await talk(world.port, HEADER.pack(MAGIC, PROTOCOL_VERSION + 1, 0, 0))
    refused = refused_in(answer)
    assert refused.code == "unknown_protocol_version"
    assert f"version {PROTOCOL_VERSION + 1}" in refused.detail
    assert f"version {PROTOCOL_VERSION}:" in refused.detail


async def test_a_hello_of_another_version_is_refused_with_both_versions(world: World) -> None:
    async with connected(world.port) as member:
        member.send(hello(protocol=PROTOCOL_VERSION + 1))
        refused = await member.next()
        assert isinstance(refused, Refused)
        assert refused.code == "unknown_protocol_version"
        assert f"version {PROTOCOL_VERSION + 1}" in refused.detail


async def test_another_key_does_not_open(world: World) -> None:
    with capture_logs() as logs:
        with pytest.raises(NotAuthenticated):
            async with connected(world.port, key=bytes(32)):
                pass
        await world.listener.close()  # its side has come to its end, too
    assert [entry["code"] for entry in logs] == ["not_authenticated"]
    assert KEY.hex() not in str(logs)


@pytest.mark.parametrize("wrong", [{"job": "other"}, {"name": "node-1"}])
async def test_a_hello_that_does_not_fit_the_handshake_is_refused(
    world: World, wrong: dict[str, str]
) -> None:
    async with connected(world.port) as member:
        member.send(hello(**({"name": "node-0"} | wrong)))
        refused = await member.next()
        assert isinstance(refused, Refused)
        assert refused.code == "not_authenticated"


async def test_who_does_not_begin_with_hello_is_refused(world: World) -> None:
    async with connected(world.port) as member:
        member.send(Heartbeat(epoch=1))
        refused = await member.next()
        assert isinstance(refused, Refused)
        assert "say Hello first" in refused.detail


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("member", SwapRequest(request="1", rank=0)),
        ("operator", PeerLost(epoch=1, detail="")),
        ("supervisor", SwapRequest(request="1", rank=0)),
    ],
)
async def test_a_role_may_send_its_own_messages_only(
    world: World, role: str, message: Message
) -> None:
    async with connected(world.port) as peer:
        peer.send(hello(role=role), message)
        await peer.until(Refused, code="bad_frame")
    assert (await world.desk.next())[0] == "joined"
    assert await world.desk.next() == ("left", "node-0")


async def test_an_unknown_message_is_passed_over(world: World) -> None:
    async with connected(world.port) as member:
        member.send(hello(), Shutdown(token=1, ok=True, reason=""), Heartbeat(epoch=1))
        assert (await world.desk.next())[0] == "joined"
        assert await world.desk.next() == ("node-0", Heartbeat(epoch=1))


async def test_a_stranger_who_says_nothing_is_closed_out() -> None:
    limits = replace(LIMITS, handshake_s=0.01)
    world = World(limits)
    world.port = await world.listener.open(host=HOST, port=0)
    with capture_logs() as logs:
        await talk(world.port, b"")
        async with connected(world.port) as member:
            assert (await member.until(Refused)).code == "peer_silent"
    assert [entry["code"] for entry in logs] == ["peer_silent"]
    await world.listener.close()


async def test_strangers_beyond_the_limit_are_closed_out_at_once() -> None:
    world = World(replace(LIMITS, strangers_max=1))
    world.port = await world.listener.open(host=HOST, port=0)
    reader, writer = await asyncio.open_connection(HOST, world.port)
    await reader.readexactly(HEADER.size)  # the first one is being challenged
    with capture_logs() as logs, suppress(ConnectionError):
        assert await talk(world.port, b"") == b""
    assert [entry["code"] for entry in logs] == ["too_many_strangers"]
    writer.close()
    await writer.wait_closed()
    await world.listener.close()


async def test_a_port_in_use_is_an_error_that_says_what_to_do(world: World) -> None:
    second = World(LIMITS)
    with pytest.raises(PortInUse, match=f"{world.port} is in use: choose another port"):
        await second.listener.open(host=HOST, port=world.port)


async def test_an_error_in_the_desk_is_not_lost(world: World) -> None:
    world.desk.fail_on = PeerLost
    async with connected(world.port) as member:
        member.send(hello(), PeerLost(epoch=1, detail=""))
        await world.desk.next()
        assert await world.desk.next() == ("left", "node-0")
        kind, error = await world.desk.next()
        assert kind == "failed"
        assert isinstance(error, AssertionError)


async def test_closing_delivers_what_was_sent_and_ends_every_connection(world: World) -> None:
    farewell = Shutdown(token=1, ok=True, reason="finished")
    async with connected(world.port) as member:
        member.send(hello())
        await world.desk.next()
        world.desk.peers[0].send(message_frame(farewell, limits=LIMITS))
        await world.listener.close()
        assert await member.until(Shutdown) == farewell
        with pytest.raises(ConnectionLost):
            await member.next()


@pytest.mark.parametrize(("role", "limit"), [("member", 8), ("operator", 4)])
async def test_a_peer_that_takes_nothing_is_cut_off(role: str, limit: int) -> None:
    limits = replace(
        LIMITS,
        member_backlog_nbytes_max=8 << 20,
        observer_backlog_nbytes_max=4 << 20,
        farewell_s=0.01,
    )
    world = World(limits)
    world.port = await world.listener.open(host=HOST, port=0)
    frame = message_frame(Refused(code="", detail="x" * 500_000), limits=limits)
    with capture_logs() as logs:
        async with connected(world.port) as peer:
            peer.send(hello(role=role))
            await world.desk.next()
            sent_nbytes = 0
            while not logs:
                world.desk.peers[0].send(frame)
                sent_nbytes += len(frame)
                await asyncio.sleep(0)
            assert await world.desk.next() == ("left", "node-0")
    assert sent_nbytes > limit << 20
    assert logs[0]["event"] == "slow_peer_cut_off"
    await world.listener.close()

"""Finding the connections of a group among a process's descriptors."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from hotswap.runtime.group.sockets import connections, listening_port, open_sockets

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def connected() -> Iterator[tuple[int, socket.socket, socket.socket]]:
    """A listener's port, and the two ends of a connection to it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as near:
            far, _ = listener.accept()
            with far:
                yield port, near, far


def test_both_ends_are_found_by_the_listeners_port(
    connected: tuple[int, socket.socket, socket.socket],
) -> None:
    """One end has the port of its own listener, the other that of its peer's."""
    port, near, far = connected
    as_listener = connections(own_port=port, peer_ports=frozenset())
    as_peer = connections(own_port=0, peer_ports=frozenset({port}))
    assert [found.descriptor for found in as_listener] == [far.fileno()]
    assert [found.descriptor for found in as_peer] == [near.fileno()]


def test_a_listening_socket_is_told_from_a_connected_one(
    connected: tuple[int, socket.socket, socket.socket],
) -> None:
    """Only the listener has a port to be connected to."""
    port, near, _ = connected
    everything = open_sockets()
    only_near = {near.fileno(): everything[near.fileno()]}
    assert listening_port(only_near) is None
    # one by one: the process of the tests may listen elsewhere, too
    assert port in {listening_port({key: value}) for key, value in everything.items()}


def test_shutting_down_ends_the_connection_and_leaves_the_descriptor(
    connected: tuple[int, socket.socket, socket.socket],
) -> None:
    """The peer reads the end of the stream; the owner still closes the descriptor itself."""
    port, near, far = connected
    (found,) = connections(own_port=0, peer_ports=frozenset({port}))
    assert found.established()
    found.shut_down()
    assert far.recv(1) == b""
    assert not found.established()
    near.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)


def test_a_descriptor_that_was_used_again_is_left_alone(
    connected: tuple[int, socket.socket, socket.socket],
) -> None:
    """The number may belong to another socket by now: only the inode tells."""
    port, near, _ = connected
    (found,) = connections(own_port=0, peer_ports=frozenset({port}))
    number = near.detach()
    one, other = socket.socketpair()
    with one, other:
        os.dup2(one.fileno(), number)
        try:
            found.shut_down()
            assert not found.established()
            other.sendall(b"x")
            assert one.recv(1) == b"x"
        finally:
            os.close(number)

"""A relay in front of the coordinators for one member, which can be cut without closing anything.

The member finds the relay where others find the coordinators: in an address book of its own. All
else that it does, its collectives and its mirrors, goes past the relay.
"""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from hotswap.channel.addresses import Address, announce, known_addresses
from hotswap.environment import JOB_DIRECTORY, MEMBER

if TYPE_CHECKING:
    from pathlib import Path

#: Bytes passed on at once.
CHUNK_NBYTES = 1 << 16
#: For a coordinator to accept, s.
CONNECT_S = 5.0


class Relay:
    """Passes bytes between one member and the leader, until ``close``."""

    def __init__(self, *, out: Path, job: Path, member: str) -> None:
        """Listen, and lay the address book of ``member`` where its script looks: in ``out``.

        Args:
            out: folder of the script.
            job: directory of the job; it may come later.
            member: name of the process that is to be relayed.

        """
        self._job = job
        self._open = threading.Event()
        self._open.set()
        self._closed = False
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        book = own_book(out, member)
        book.mkdir(parents=True)
        announce(book, name="relay", address=Address(*self._listener.getsockname()))
        # besides the addresses, a member uses the ledger in the job's directory
        (book / "ledger").symlink_to(job / "ledger")
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End every connection."""
        self._closed = True
        self._open.set()
        for each in (self._listener, *self._sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def cut(self) -> None:
        """Pass nothing on any more, in either direction, and close nothing."""
        self._open.clear()

    def heal(self) -> None:
        """Pass on what was held up, and what comes."""
        self._open.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                member, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(member,), daemon=True).start()

    def _serve(self, member: socket.socket) -> None:
        self._wait_open()
        leader = self._leader()
        if leader is None or self._closed:
            member.close()
            return
        self._sockets += [member, leader]
        threading.Thread(target=self._pump, args=(leader, member), daemon=True).start()
        self._pump(member, leader)

    def _wait_open(self) -> None:
        # it ends when the relay is healed, or is closed
        self._open.wait()

    def _leader(self) -> socket.socket | None:
        """Connect to the coordinator that a member would try first."""
        for address in known_addresses(self._job):
            with suppress(OSError):
                leader = socket.create_connection(address, timeout=CONNECT_S)
                leader.settimeout(None)
                return leader
        return None

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        """Pass on what ``source`` sends, its end too."""
        with suppress(OSError):
            while data := source.recv(CHUNK_NBYTES):
                self._wait_open()
                target.sendall(data)
        self._wait_open()
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def own_book(out: Path, member: str) -> Path:
    """Return where the address book of a member lies that has one of its own."""
    return out / f"book.{member}"


def use_own_book(out: Path) -> None:
    """Look for coordinators at the relay, if this member has one. To be called before `join`."""
    book = own_book(out, os.environ.get(MEMBER, "")).absolute()
    if book.is_dir():
        os.environ[JOB_DIRECTORY] = str(book)

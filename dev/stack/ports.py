"""Ports on loopback, and whether something serves there."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dev.stack.parts import Probe

LOOPBACK = "127.0.0.1"
#: Longest wait of one look at a port, s.
LOOK_S = 1.0


def free_port(*, preferred: int | None = None) -> int:
    """Return a port that nobody listens on: the preferred one, if it is free."""
    for port in (preferred, 0):
        if port is None:
            continue
        with socket.socket() as found:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                found.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(found.getsockname()[1])
    raise SystemExit("no free port on 127.0.0.1: end some servers")


def listens(port: int) -> Probe:
    """Return a probe: does something accept connections on a port?"""
    return partial(_accepts, port)


def answers(url: str) -> Probe:
    """Return a probe: does an address answer with 200?"""
    return partial(_is_ok, url)


def _accepts(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), timeout=LOOK_S).close()
    except OSError:
        return False
    return True


def _is_ok(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=LOOK_S) as answer:  # noqa: S310 - our own address
            return bool(answer.status == HTTPStatus.OK)
    except (OSError, urllib.error.URLError):
        return False

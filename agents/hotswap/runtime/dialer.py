"""Opening mirror links in the background, as the coordinator assigns mirrors."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import structlog

from hotswap.channel.handshake import prove_client
from hotswap.errors import WireError
from hotswap.runtime.mirror.link import MirrorLink
from hotswap.runtime.mirror.protocol import PURPOSE

if TYPE_CHECKING:
    from collections.abc import Callable

    from hotswap.limits import Limits
    from hotswap.wire.messages import Mirroring

_log = structlog.get_logger()


class Dialer:
    """Connects this owner to its mirrors."""

    def __init__(
        self,
        *,
        name: str,
        key: bytes,
        limits: Limits,
        on_link: Callable[[MirrorLink], None],
        on_lost: Callable[[MirrorLink], None],
    ) -> None:
        """Dial as ``name``; ``on_link`` gets each link that stands, in the dialling thread."""
        self._name = name
        self._key = key
        self._limits = limits
        self._on_link = on_link
        self._on_lost = on_lost

    def dial(self, mirroring: Mirroring) -> None:
        """Connect in a thread of its own; a mirror that can't be reached is reported and left."""
        threading.Thread(
            target=self._dial, args=(mirroring,), name="hotswap-dial", daemon=True
        ).start()

    def _dial(self, mirroring: Mirroring) -> None:
        address = (mirroring.endpoint.host, mirroring.endpoint.mirror_port)
        try:
            connection = socket.create_connection(address, timeout=self._limits.connect_s)
        except OSError as error:
            _log.warning("mirror_unreachable", mirror=mirroring.member, detail=str(error))
            return
        try:
            prove_client(
                connection,
                key=self._key,
                purpose=PURPOSE,
                name=self._name,
                timeout_s=self._limits.handshake_s,
            )
        except WireError as error:
            connection.close()
            _log.warning("mirror_refused", mirror=mirroring.member, detail=str(error))
            return
        self._on_link(
            MirrorLink(
                member=mirroring.member,
                rank=mirroring.rank,
                connection=connection,
                limits=self._limits,
                on_lost=self._on_lost,
            )
        )

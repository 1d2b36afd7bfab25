"""Who is let in: a process that knows the job's key and says who it is, in this version."""

import asyncio
from dataclasses import dataclass

from hotswap.channel.handshake import accept_client_async
from hotswap.channel.streams import StreamFrames
from hotswap.errors import BadFrame, NotAuthenticated, PeerSilent, UnknownProtocolVersion
from hotswap.limits import Limits
from hotswap.wire.codec import decode_to_coordinator
from hotswap.wire.messages import PROTOCOL_VERSION, Hello


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What has to be known to let somebody in."""

    # name of the job
    job: str
    # secret of the job; not in the repr, so never in a log
    key: bytes
    limits: Limits

    def __repr__(self) -> str:
        return f"Door(job={self.job!r})"

    async def admit(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[Hello, StreamFrames]:
        """Let the other end prove that it belongs to the job; return its Hello and what follows.

        Raises:
            NotAuthenticated: it knows another key, or has another name than it has proved.
            UnknownProtocolVersion: it speaks another version.
            PeerSilent: it took longer than ``handshake_s`` for the handshake, or for its Hello.
            BadFrame, UnknownMessage: it speaks something else, or says something else first.
            ConnectionLost: it has gone away.

        """
        limit_s = self.limits.handshake_s
        name = await accept_client_async(
            reader, writer, key=self.key, purpose="control", timeout_s=limit_s
        )
        frames = StreamFrames(reader, payload_nbytes_max=self.limits.control_frame_nbytes_max)
        try:
            async with asyncio.timeout(limit_s):
                payload = await frames.read()
        except TimeoutError as error:
            raise PeerSilent(
                f"{name} said nothing within {limit_s:g} s after the handshake "
                "(HOTSWAP_HANDSHAKE_S): say Hello first"
            ) from error
        hello = decode_to_coordinator(payload)
        if not isinstance(hello, Hello):
            raise BadFrame(f"{name} began with {type(hello).__name__}: say Hello first")
        self._check(hello, name)
        return hello, frames

    def _check(self, hello: Hello, name: str) -> None:
        if hello.protocol != PROTOCOL_VERSION:
            raise UnknownProtocolVersion(expected=PROTOCOL_VERSION, received=hello.protocol)
        if hello.job != self.job:
            raise NotAuthenticated(
                f"{name} belongs to job {hello.job!r}, this is a coordinator of {self.job!r}: "
                "connect to one of its own, or use another port"
            )
        if hello.name != name:
            raise NotAuthenticated(
                f"{name} calls itself {hello.name!r} after the handshake: use one name"
            )

"""Errors about a control connection."""

from hotswap.errors.base import HotswapError


class WireError(HotswapError):
    """A control connection can't go on."""


class BadFrame(WireError):
    """What arrived on a control port is not a frame of this protocol."""


class UnknownProtocolVersion(WireError):
    """The peer speaks another version of the control protocol."""

    def __init__(self, *, expected: int, received: int) -> None:
        """Take the two versions."""
        super().__init__(
            f"the peer speaks version {received} of the control protocol, this process version "
            f"{expected}: run the same version of hotswap on both sides"
        )
        self.expected = expected
        self.received = received


class UnknownMessage(WireError):
    """The peer sends a message that this version does not know, or not in this direction."""

    def __init__(self, tag: str) -> None:
        """Take the message's type."""
        super().__init__(
            f"a message of type {tag!r} is not known here, or not in this direction: run the same "
            "version of hotswap on both sides"
        )
        self.tag = tag


class NotAuthenticated(WireError):
    """The peer does not know the key of this job: start both sides from the same job."""


class PeerSilent(WireError):
    """The peer did not answer, or took nothing, within the named limit."""


class ConnectionLost(WireError):
    """The connection has ended."""

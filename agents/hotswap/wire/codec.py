"""Messages to bytes and back: msgpack, checked against the struct that the tag names."""

from typing import Final, Protocol, TypeVar, cast

import msgspec

from hotswap.errors import BadFrame, UnknownMessage
from hotswap.wire.messages import FromCoordinator, Message, ToCoordinator

_Message_co = TypeVar("_Message_co", covariant=True)


class Decode(Protocol[_Message_co]):
    """Turns a payload into a message, or raises `BadFrame` or `UnknownMessage`."""

    def __call__(self, payload: bytes, /) -> _Message_co:
        """Decode one payload."""


class _Tag(msgspec.Struct):
    """What every message has in common."""

    type: str


def encode_message(message: Message) -> bytes:
    """Return the payload that carries ``message``."""
    return _ENCODER.encode(message)


def decode_to_coordinator(payload: bytes, /) -> ToCoordinator:
    """Return the message that a member, supervisor or operator sent.

    Raises:
        UnknownMessage: no such message goes to a coordinator in this version.
        BadFrame: the payload isn't a message, or a field of it has another type.

    """
    return _TO_COORDINATOR(payload)


def decode_from_coordinator(payload: bytes, /) -> FromCoordinator:
    """Return the message that a coordinator sent.

    Raises:
        UnknownMessage: no coordinator of this version sends such a message.
        BadFrame: the payload isn't a message, or a field of it has another type.

    """
    return _FROM_COORDINATOR(payload)


def decoder(union: object) -> Decode[Message]:
    """Return a function that decodes the tagged structs of ``union``.

    The function raises `UnknownMessage` and `BadFrame`.
    """
    wire: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(union)
    known = frozenset(_tags(union))

    def decode_payload(payload: bytes, /) -> Message:
        try:
            return wire.decode(payload)
        # msgspec refuses deep nesting with RecursionError, where one would expect a DecodeError
        except (msgspec.DecodeError, RecursionError) as error:
            tag = _peek_tag(payload)
            if tag is not None and tag not in known:
                raise UnknownMessage(tag) from error
            of = "" if tag is None else f" of type {tag}"
            raise BadFrame(
                f"a message{of} can't be decoded ({error}): close the connection"
            ) from error

    return decode_payload


def _tags(union: object) -> list[str]:
    """Return the tag of each struct in ``union``, which may be a single one."""
    members = getattr(union, "__args__", (union,))
    return [str(cast("type[msgspec.Struct]", member).__struct_config__.tag) for member in members]


def _peek_tag(payload: bytes) -> str | None:
    """Return the tag of a payload that can't be decoded as a whole; None: not even that."""
    try:
        return _TAG.decode(payload).type
    except (msgspec.DecodeError, RecursionError):
        return None


_ENCODER: Final = msgspec.msgpack.Encoder()
_TAG: Final = msgspec.msgpack.Decoder(_Tag)
_TO_COORDINATOR: Final = cast("Decode[ToCoordinator]", decoder(ToCoordinator))
_FROM_COORDINATOR: Final = cast("Decode[FromCoordinator]", decoder(FromCoordinator))

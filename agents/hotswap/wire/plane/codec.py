"""Structs of the plane to JSON and back."""

from typing import Final, TypeVar

import msgspec

from hotswap.errors import PlaneMessageMalformed
from hotswap.wire.plane.base import PlaneValue

_Value = TypeVar("_Value", bound=PlaneValue)

# as JSON spells them
_NULL: Final = b"\\u0000"
_REPLACEMENT: Final = b"\\ufffd"


def encode_plane(value: PlaneValue) -> bytes:
    """Return ``value`` in JSON.

    A float that is no number becomes null, a null character in a text U+FFFD: databases keep none.
    """
    return msgspec.json.encode(value).replace(_NULL, _REPLACEMENT)


def decode_plane(body: bytes, kind: type[_Value]) -> _Value:
    """Return the ``kind`` that ``body`` is.

    Raises:
        PlaneMessageMalformed: it isn't one; the message says at which field.

    """
    try:
        return msgspec.json.decode(body, type=kind)
    # msgspec refuses deep nesting with RecursionError, where one would expect a DecodeError
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise PlaneMessageMalformed(f"this is no {kind.__name__}: {error}") from error

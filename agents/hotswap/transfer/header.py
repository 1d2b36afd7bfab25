"""Header of a bundle: what follows on the link, described before a byte of it is read.

A bundle on the link::

    prefix    magic, version of this format, size and checksum of the header
    header    `BundleHeader` as msgpack
    segments  raw bytes of each tensor, one after another, as the header lists them

Everything in a header is checked here, before anything is allocated for it.
"""

import math
import struct
from typing import Annotated, Final

import msgspec
from torch import Tensor

from hotswap.errors import BundleMalformed, BundleTooLarge, BundleVersionUnknown
from hotswap.limits import Limits
from hotswap.transfer.buffers import DTYPES, dtype_name
from hotswap.transfer.digest import checksum

#: Version of the bundle format. A bundle of another version is refused by name.
BUNDLE_VERSION: Final = 1

_MAGIC: Final = b"HSWB"
_PREFIX: Final = struct.Struct("!4sHIQ")

#: Bytes that precede every header.
PREFIX_NBYTES: Final = _PREFIX.size

_Natural = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Shape = Annotated[tuple[_Natural, ...], msgspec.Meta(max_length=64)]


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """One tensor of a bundle."""

    # name of the tensor, unique in the bundle
    name: str
    # a name out of `hotswap.transfer.buffers.DTYPES`
    dtype: str
    # sizes of the dimensions; () for a scalar
    shape: _Shape
    # bytes on the link
    nbytes: _Natural
    # XXH3-64 of those bytes
    checksum: int


class BundleHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What a bundle is, for whom, and what it carries."""

    # what the bundle means to the two ends, such as "gradients" or "snapshot"
    kind: str
    # ownership epoch in which it was sent
    epoch: _Natural
    # version of the state that it carries or starts from: steps applied
    step: _Natural
    # rank whose state it is
    rank: _Natural
    # fencing token of the leader under which it was sent
    token: _Natural
    # small opaque blob for the two ends
    meta: bytes = b""
    # filled in by `send_bundle`
    segments: tuple[Segment, ...] = ()

    @property
    def segments_nbytes(self) -> int:
        """Bytes that follow the header."""
        return sum(segment.nbytes for segment in self.segments)


def describe(tensor: Tensor, *, name: str, view: memoryview) -> Segment:
    """Return the segment for ``tensor``, whose bytes ``view`` shows.

    Raises `UnsupportedTensor` for a tensor that has no plain bytes.
    """
    return Segment(
        name=name,
        dtype=dtype_name(tensor, name=name),
        shape=tuple(tensor.shape),
        nbytes=view.nbytes,
        checksum=checksum(view),
    )


def encode_header(header: BundleHeader, *, limits: Limits) -> bytes:
    """Return prefix and header as they go on the link.

    Raises `BundleTooLarge` or `BundleMalformed` as the receiver would, so that a mistake shows
    where it was made.
    """
    _check(header, limits=limits)
    encoded = msgspec.msgpack.encode(header)
    _check_header_nbytes(len(encoded), limits=limits)
    return _PREFIX.pack(_MAGIC, BUNDLE_VERSION, len(encoded), checksum(encoded)) + encoded


def decode_prefix(prefix: bytes | bytearray, *, limits: Limits) -> tuple[int, int]:
    """Return size in bytes and checksum of the header that follows ``prefix``.

    Raises:
        BundleMalformed: the bytes are not the start of a bundle.
        BundleVersionUnknown: the peer sends another version of the format.
        BundleTooLarge: the header is above ``bundle_header_nbytes_max``.

    """
    magic, version, nbytes, header_checksum = _PREFIX.unpack(prefix)
    if magic != _MAGIC:
        message = f"expected a bundle, got {bytes(prefix[:8])!r}...: close this link"
        raise BundleMalformed(message)
    if version != BUNDLE_VERSION:
        message = (
            f"the peer sends bundles of version {version}, this side reads {BUNDLE_VERSION}: "
            "run the same version of hotswap on both"
        )
        raise BundleVersionUnknown(message)
    _check_header_nbytes(nbytes, limits=limits)
    return nbytes, header_checksum


def decode_header(encoded: bytearray, *, header_checksum: int, limits: Limits) -> BundleHeader:
    """Return the header in ``encoded``.

    Raises:
        BundleMalformed: checksum or content is wrong.
        BundleTooLarge: it announces more than ``limits`` allow.

    """
    if checksum(encoded) != header_checksum:
        message = "the header of a bundle was damaged on the way: close this link and send again"
        raise BundleMalformed(message)
    try:
        header = msgspec.msgpack.decode(encoded, type=BundleHeader)
    except msgspec.DecodeError as error:
        message = f"the header of a bundle cannot be read ({error}): close this link"
        raise BundleMalformed(message) from error
    _check(header, limits=limits)
    return header


def _check_header_nbytes(nbytes: int, *, limits: Limits) -> None:
    if nbytes > limits.bundle_header_nbytes_max:
        limit = limits.bundle_header_nbytes_max
        message = f"a header of {nbytes} bytes: bundle_header_nbytes_max is {limit}"
        raise BundleTooLarge(message)


def _check(header: BundleHeader, *, limits: Limits) -> None:
    segments = header.segments
    if len(segments) > limits.bundle_segments_max:
        message = f"{len(segments)} segments: bundle_segments_max is {limits.bundle_segments_max}"
        raise BundleTooLarge(message)
    if len({segment.name for segment in segments}) != len(segments):
        message = "two segments of a bundle have the same name: close this link"
        raise BundleMalformed(message)
    for segment in segments:
        _check_segment(segment, limits=limits)
    if header.segments_nbytes > limits.bundle_nbytes_max:
        message = (
            f"{header.segments_nbytes} bytes of segments: "
            f"bundle_nbytes_max is {limits.bundle_nbytes_max}"
        )
        raise BundleTooLarge(message)


def _check_segment(segment: Segment, *, limits: Limits) -> None:
    if segment.nbytes > limits.bundle_segment_nbytes_max:
        message = (
            f"segment {segment.name!r} of {segment.nbytes} bytes: "
            f"bundle_segment_nbytes_max is {limits.bundle_segment_nbytes_max}"
        )
        raise BundleTooLarge(message)
    dtype = DTYPES.get(segment.dtype)
    if dtype is None:
        message = f"segment {segment.name!r} has unknown dtype {segment.dtype!r}: close this link"
        raise BundleMalformed(message)
    if segment.nbytes != math.prod(segment.shape) * dtype.itemsize:
        message = (
            f"segment {segment.name!r} announces {segment.nbytes} bytes "
            f"for {segment.dtype} of shape {segment.shape}: close this link"
        )
        raise BundleMalformed(message)

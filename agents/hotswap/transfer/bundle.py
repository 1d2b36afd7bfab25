"""Bundles of tensors over a connected socket, straight out of and into their memory.

The socket is a blocking stream socket (TCP or Unix). Its time-out is the caller's: it bounds each
wait for the peer to send or take *something*, and runs out as `LinkTimedOut`. A thread that waits
here is released at once when another thread calls ``socket.shutdown(SHUT_RDWR)``. After any error
other than `CorruptSegment` the position in the stream is unknown, and the link must be closed.

One bundle at a time in each direction: the caller serialises senders, and receivers.
"""

import socket
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from torch import Tensor

from hotswap.errors import CorruptSegment, LinkClosed, LinkLost, LinkTimedOut, SegmentUnexpected
from hotswap.limits import Limits
from hotswap.transfer.buffers import byte_view, dtype_name, host_contiguous
from hotswap.transfer.digest import checksum
from hotswap.transfer.header import (
    PREFIX_NBYTES,
    BundleHeader,
    Segment,
    decode_header,
    decode_prefix,
    describe,
    encode_header,
)

# Buffers handed to the kernel in one call; it takes 1024 (IOV_MAX) at most.
_VECTOR_MAX = 256
_SCRATCH_NBYTES = 1 << 20
# The first is that of Python's time-out, the second that of SO_SNDTIMEO and SO_RCVTIMEO, which
# can differ by direction.
_TIMED_OUT = (TimeoutError, BlockingIOError)


def send_bundle(
    sock: socket.socket,
    *,
    header: BundleHeader,
    tensors: Mapping[str, Tensor],
    limits: Limits,
) -> int:
    """Send ``tensors`` under ``header``, whose segments are filled in here; return the bytes sent.

    Contiguous host tensors are sent from where they lie and must not change until this returns;
    others are copied first.

    Raises:
        LinkLost: the peer has closed or reset the link, or it was shut down here.
        LinkTimedOut: the peer took nothing for as long as the socket's time-out.
        BundleTooLarge: the bundle is above a limit; nothing was sent.
        UnsupportedTensor: a tensor has no plain bytes; nothing was sent.

    """
    views: list[memoryview] = []
    segments: list[Segment] = []
    for name, tensor in tensors.items():
        views.append(byte_view(host_contiguous(tensor, name=name)))
        segments.append(describe(tensor, name=name, view=views[-1]))
    full = msgspec.structs.replace(header, segments=tuple(segments))
    head = memoryview(encode_header(full, limits=limits))
    return _transfer_all([head, *views], some=lambda window: _send_some(sock, window))


def receive_header(sock: socket.socket, *, limits: Limits) -> BundleHeader:
    """Wait for the next bundle and return its header; its segments are still to be read.

    Check epoch, rank and token before reading them: bytes of a dead epoch must not reach live
    tensors. What is not wanted is dropped by `discard_segments`.

    Raises:
        LinkClosed: the peer closed the link, and no bundle was cut.
        LinkLost: the link broke within a header.
        LinkTimedOut: nothing came for as long as the socket's time-out.
        BundleMalformed: what came is not a bundle, or was damaged.
        BundleVersionUnknown: the peer sends another version of the format.
        BundleTooLarge: the bundle is above one of ``limits``.

    """
    prefix = bytearray(PREFIX_NBYTES)
    received = _receive_some(sock, [memoryview(prefix)])
    if received == 0:
        message = "the peer has closed the link"
        raise LinkClosed(message)
    _receive_all(sock, [memoryview(prefix)[received:]])
    nbytes, header_checksum = decode_prefix(prefix, limits=limits)
    encoded = bytearray(nbytes)
    _receive_all(sock, [memoryview(encoded)])
    return decode_header(encoded, header_checksum=header_checksum, limits=limits)


def receive_segments(
    sock: socket.socket,
    *,
    header: BundleHeader,
    into: Callable[[Segment], Tensor],
) -> dict[str, Tensor]:
    """Read the segments of ``header`` into the tensors that ``into`` returns; return these by name.

    ``into`` is called once for each segment before any byte is read, and returns a contiguous
    host tensor of that dtype and shape, to be used again for the next bundle. It may raise
    `SegmentUnexpected` itself for a name that it does not know.

    Raises:
        SegmentUnexpected: a tensor does not fit its segment; no tensor was written.
        CorruptSegment: bytes of the named tensors were damaged on the way. The whole bundle has
            been read, so that the link can go on; none of the tensors may be used.
        LinkLost: the link broke; the tensors are partly written.
        LinkTimedOut: nothing came for as long as the socket's time-out; likewise.

    """
    targets = {segment.name: into(segment) for segment in header.segments}
    for segment in header.segments:
        _check_target(segment, targets[segment.name])
    views = {name: byte_view(target) for name, target in targets.items()}
    _receive_all(sock, views.values())
    damaged = [
        segment.name
        for segment in header.segments
        if checksum(views[segment.name]) != segment.checksum
    ]
    if damaged:
        message = (
            f"damaged on the way, in {header.kind!r} of rank {header.rank}, step {header.step}: "
            f"{', '.join(damaged)}; discard the bundle and ask for it again"
        )
        raise CorruptSegment(message, tensors=damaged)
    return targets


def discard_segments(sock: socket.socket, *, header: BundleHeader) -> None:
    """Read the segments of ``header`` and drop them, so that the link can go on.

    Raises `LinkLost` and `LinkTimedOut` as `receive_segments` does.
    """
    scratch = memoryview(bytearray(min(header.segments_nbytes, _SCRATCH_NBYTES)))
    left = header.segments_nbytes
    while left:
        part = scratch[:left]
        _receive_all(sock, [part])
        left -= len(part)


def _check_target(segment: Segment, target: Tensor) -> None:
    held = (dtype_name(target, name=segment.name), tuple(target.shape))
    if held != (segment.dtype, segment.shape):
        message = (
            f"the peer sends {segment.name!r} as {segment.dtype} {segment.shape}, this side holds "
            f"{held[0]} {held[1]}: both must have built the same model for the same rank"
        )
        raise SegmentUnexpected(message)


def _transfer_all(
    buffers: Iterable[memoryview], *, some: Callable[[Sequence[memoryview]], int]
) -> int:
    """Call ``some`` with the buffers that are left until all their bytes went through it."""
    pending = [buffer for buffer in buffers if buffer.nbytes]
    total = sum(buffer.nbytes for buffer in pending)
    first = 0
    while first < len(pending):
        moved = some(pending[first : first + _VECTOR_MAX])
        # Skip what went through whole; cut the buffer in which the kernel stopped.
        while moved and moved >= pending[first].nbytes:
            moved -= pending[first].nbytes
            first += 1
        if moved:
            pending[first] = pending[first][moved:]
    return total


def _receive_all(sock: socket.socket, buffers: Iterable[memoryview]) -> None:
    def some(window: Sequence[memoryview]) -> int:
        received = _receive_some(sock, window)
        if received == 0:
            message = "the link ended within a bundle: connect again"
            raise LinkLost(message)
        return received

    _transfer_all(buffers, some=some)


def _send_some(sock: socket.socket, window: Sequence[memoryview]) -> int:
    try:
        return sock.sendmsg(window)
    except _TIMED_OUT as error:
        message = "the peer took nothing within the socket's time-out: close this link"
        raise LinkTimedOut(message) from error
    except OSError as error:
        message = f"the link broke while sending ({error}): connect again"
        raise LinkLost(message) from error


def _receive_some(sock: socket.socket, window: Sequence[memoryview]) -> int:
    try:
        return sock.recvmsg_into(window)[0]
    except _TIMED_OUT as error:
        message = "the peer sent nothing within the socket's time-out: close this link"
        raise LinkTimedOut(message) from error
    except OSError as error:
        message = f"the link broke while receiving ({error}): connect again"
        raise LinkLost(message) from error

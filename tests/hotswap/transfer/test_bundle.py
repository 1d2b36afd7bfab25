"""Tests of hotswap.transfer.bundle over real sockets."""

import dataclasses
import socket
import struct
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
import torch
from torch import Tensor

from hotswap.errors import (
    BundleMalformed,
    BundleTooLarge,
    CorruptSegment,
    LinkClosed,
    LinkLost,
    LinkTimedOut,
    SegmentUnexpected,
    TransferError,
    UnsupportedTensor,
)
from hotswap.limits import Limits
from hotswap.transfer.buffers import DTYPES, byte_view
from hotswap.transfer.bundle import (
    discard_segments,
    receive_header,
    receive_segments,
    send_bundle,
)
from hotswap.transfer.header import PREFIX_NBYTES, BundleHeader, Segment

Link = tuple[socket.socket, socket.socket]

HEADER = BundleHeader(kind="gradients", epoch=3, step=1204, rank=1, token=7, meta=b"small state")
LIMITS = Limits()
WAIT_S = 10.0


def allocate(segment: Segment) -> Tensor:
    return torch.empty(segment.shape, dtype=DTYPES[segment.dtype])


def receive(
    sock: socket.socket, *, into: Callable[[Segment], Tensor] = allocate
) -> tuple[BundleHeader, dict[str, Tensor]]:
    header = receive_header(sock, limits=LIMITS)
    return header, receive_segments(sock, header=header, into=into)


def in_background(call: Callable[[], object]) -> "Future[object]":
    pool = ThreadPoolExecutor(max_workers=1)
    future = pool.submit(call)
    pool.shutdown(wait=False)
    return future


def send(sock: socket.socket, tensors: dict[str, Tensor]) -> "Future[object]":
    return in_background(lambda: send_bundle(sock, header=HEADER, tensors=tensors, limits=LIMITS))


def record(tensors: dict[str, Tensor]) -> bytearray:
    """Return the bytes of a bundle as they are on the link."""
    left, right = socket.socketpair()
    with left, right:
        right.settimeout(WAIT_S)
        sent = send(left, tensors)
        sent.add_done_callback(lambda _: left.shutdown(socket.SHUT_WR))
        with right.makefile("rb") as file:
            return bytearray(file.read())


def replay(data: bytes | bytearray, sock: socket.socket) -> "Future[object]":
    def call() -> None:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)

    return in_background(call)


def test_a_bundle_arrives_bit_by_bit(link: Link, every_dtype: dict[str, Tensor]) -> None:
    sent = send(link[0], every_dtype)
    header, received = receive(link[1])
    assert (header.kind, header.epoch, header.step, header.rank) == ("gradients", 3, 1204, 1)
    assert (header.token, header.meta) == (7, b"small state")
    assert list(received) == list(every_dtype)
    for name, tensor in every_dtype.items():
        assert bytes(byte_view(received[name])) == bytes(byte_view(tensor))
    assert sent.result(WAIT_S) == len(record(every_dtype))


def test_scalars_empty_and_strided_tensors_arrive(link: Link) -> None:
    tensors = {
        "scalar": torch.tensor(2.5),
        "empty": torch.empty(0, 3),
        "strided": torch.arange(6.0).reshape(2, 3).t(),
        "parameter": torch.nn.Parameter(torch.ones(2)),
    }
    send(link[0], tensors)
    _, received = receive(link[1])
    assert received["scalar"].item() == 2.5
    assert received["empty"].shape == (0, 3)
    assert torch.equal(received["strided"], tensors["strided"])
    assert torch.equal(received["parameter"], torch.ones(2))


def test_a_bundle_larger_than_the_sockets_memory_arrives(link: Link) -> None:
    for sock in link:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
    tensors = {f"w{index}": torch.randn(200 + index % 7) for index in range(700)}
    sent = send(link[0], tensors)
    _, received = receive(link[1])
    assert all(torch.equal(received[name], tensor) for name, tensor in tensors.items())
    sent.result(WAIT_S)


def test_a_bundle_without_tensors_arrives(link: Link) -> None:
    send(link[0], {})
    header, received = receive(link[1])
    assert header == HEADER
    assert received == {}


def test_the_same_tensors_are_filled_again(link: Link) -> None:
    held = {"w": torch.zeros(4)}
    address = held["w"].data_ptr()
    for value in (1.0, 2.0):
        send(link[0], {"w": torch.full((4,), value)})
        _, received = receive(link[1], into=lambda segment: held[segment.name])
        assert received["w"] is held["w"]
        assert held["w"].tolist() == [value] * 4
    assert held["w"].data_ptr() == address


def test_what_is_not_wanted_is_dropped_and_the_link_goes_on(link: Link) -> None:
    in_background(
        lambda: [
            send_bundle(link[0], header=HEADER, tensors={"w": torch.zeros(size)}, limits=LIMITS)
            for size in (600_000, 3)
        ]
    )
    discard_segments(link[1], header=receive_header(link[1], limits=LIMITS))
    _, received = receive(link[1])
    assert received["w"].shape == (3,)


@pytest.mark.parametrize("damaged", ["first", "second", "third"])
def test_a_bit_flipped_on_the_way_names_the_tensor(link: Link, damaged: str) -> None:
    tensors = {name: torch.randn(100) for name in ("first", "second", "third")}
    data = record(tensors)
    offset_from_end = {"first": 1200, "second": 800, "third": 400}[damaged]
    data[-offset_from_end + 17] ^= 0x10
    replay(data, link[0])
    with pytest.raises(CorruptSegment, match=f"on the way.*: {damaged};") as caught:
        receive(link[1])
    assert caught.value.tensors == (damaged,)


def test_every_damaged_tensor_is_named_and_the_link_goes_on(link: Link) -> None:
    data = record({"a": torch.zeros(4), "b": torch.zeros(4), "c": torch.zeros(4)})
    data[-1] ^= 1
    data[-48] ^= 1
    replay(data + record({"d": torch.ones(2)}), link[0])
    with pytest.raises(CorruptSegment) as caught:
        receive(link[1])
    assert caught.value.tensors == ("a", "c")
    _, received = receive(link[1])
    assert received["d"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "held",
    [
        pytest.param(torch.zeros(3), id="shape"),
        pytest.param(torch.zeros(4, dtype=torch.int32), id="dtype"),
    ],
)
def test_a_tensor_that_does_not_fit_is_refused_before_any_is_written(
    link: Link, held: Tensor
) -> None:
    first = torch.zeros(4)
    send(link[0], {"first": torch.ones(4), "second": torch.ones(4)})
    with pytest.raises(SegmentUnexpected, match="second"):
        receive(link[1], into=lambda segment: first if segment.name == "first" else held)
    assert first.tolist() == [0.0] * 4
    assert not held.any()


def test_a_peer_that_ends_between_bundles_is_told_apart_from_a_broken_link(link: Link) -> None:
    link[0].close()
    with pytest.raises(LinkClosed):
        receive_header(link[1], limits=LIMITS)


def test_a_link_that_ends_anywhere_within_a_bundle_is_lost() -> None:
    data = record({"w": torch.randn(8)})
    for nbytes in range(1, len(data)):
        left, right = socket.socketpair()
        with left, right:
            left.sendall(data[:nbytes])
            left.shutdown(socket.SHUT_WR)
            with pytest.raises(LinkLost):
                receive(right)


def test_garbage_on_the_link_is_malformed(link: Link) -> None:
    link[0].sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n" * 4)
    with pytest.raises(BundleMalformed, match="SSH"):
        receive_header(link[1], limits=LIMITS)


def test_a_damaged_size_of_the_header_does_not_allocate_or_pass(link: Link) -> None:
    data = record({"w": torch.randn(1000)})
    data[9] ^= 0x01
    replay(data, link[0])
    with pytest.raises(TransferError):
        receive_header(link[1], limits=LIMITS)


def test_a_bundle_above_a_limit_is_refused_by_both_sides(link: Link) -> None:
    small = dataclasses.replace(LIMITS, bundle_segment_nbytes_max=15)
    with pytest.raises(BundleTooLarge, match="'w' of 16 bytes"):
        send_bundle(link[0], header=HEADER, tensors={"w": torch.zeros(4)}, limits=small)
    send_bundle(link[0], header=HEADER, tensors={"w": torch.zeros(4)}, limits=LIMITS)
    with pytest.raises(BundleTooLarge, match="bundle_segment_nbytes_max is 15"):
        receive_header(link[1], limits=small)


def test_nothing_is_sent_when_a_tensor_has_no_plain_bytes(link: Link) -> None:
    tensors = {"good": torch.zeros(4), "bad": torch.eye(2).to_sparse()}
    with pytest.raises(UnsupportedTensor, match="bad"):
        send_bundle(link[0], header=HEADER, tensors=tensors, limits=LIMITS)
    link[0].shutdown(socket.SHUT_WR)
    assert link[1].recv(1) == b""


def test_a_silent_peer_runs_into_the_sockets_time_out(link: Link) -> None:
    link[1].settimeout(0.02)
    with pytest.raises(LinkTimedOut, match="sent nothing"):
        receive_header(link[1], limits=LIMITS)
    link[0].sendall(record({"w": torch.zeros(4)})[: PREFIX_NBYTES + 3])
    with pytest.raises(LinkTimedOut, match="sent nothing"):
        receive_header(link[1], limits=LIMITS)


def test_a_peer_that_takes_nothing_runs_into_the_sockets_time_out(link: Link) -> None:
    link[0].settimeout(0.02)
    with pytest.raises(LinkTimedOut, match="took nothing"):
        send_bundle(link[0], header=HEADER, tensors={"w": torch.zeros(8 << 20)}, limits=LIMITS)


def test_time_outs_of_the_kernel_count_as_well(link: Link) -> None:
    for sock, option in ((link[0], socket.SO_SNDTIMEO), (link[1], socket.SO_RCVTIMEO)):
        sock.settimeout(None)
        sock.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", 0, 20_000))
    with pytest.raises(LinkTimedOut, match="sent nothing"):
        receive_header(link[1], limits=LIMITS)
    with pytest.raises(LinkTimedOut, match="took nothing"):
        send_bundle(link[0], header=HEADER, tensors={"w": torch.zeros(8 << 20)}, limits=LIMITS)


def test_sending_to_a_peer_that_is_gone_loses_the_link(link: Link) -> None:
    link[1].close()
    with pytest.raises(LinkLost, match="while sending"):
        send_bundle(link[0], header=HEADER, tensors={"w": torch.zeros(8 << 20)}, limits=LIMITS)


def test_a_shut_down_releases_a_receiver_between_bundles(link: Link) -> None:
    link[1].settimeout(None)
    waiting = in_background(lambda: receive_header(link[1], limits=LIMITS))
    link[1].shutdown(socket.SHUT_RDWR)
    assert isinstance(waiting.exception(WAIT_S), LinkClosed | LinkLost)


def test_a_shut_down_releases_a_receiver_within_a_bundle(link: Link) -> None:
    link[1].settimeout(None)
    link[0].sendall(record({"w": torch.zeros(100)})[:-1])
    started = threading.Event()

    def into(segment: Segment) -> Tensor:
        started.set()
        return allocate(segment)

    waiting = in_background(lambda: receive(link[1], into=into))
    assert started.wait(WAIT_S)
    link[1].shutdown(socket.SHUT_RDWR)
    assert isinstance(waiting.exception(WAIT_S), LinkLost)


def test_a_shut_down_releases_a_sender(link: Link) -> None:
    link[0].settimeout(None)
    sending = send(link[0], {"w": torch.zeros(8 << 20)})
    assert link[1].recv(1) == b"H"
    link[0].shutdown(socket.SHUT_RDWR)
    assert isinstance(sending.exception(WAIT_S), LinkLost)

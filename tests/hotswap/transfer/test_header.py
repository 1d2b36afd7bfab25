"""Tests of hotswap.transfer.header."""

import dataclasses

import msgspec
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hotswap.errors import BundleMalformed, BundleTooLarge, BundleVersionUnknown, UnsupportedTensor
from hotswap.limits import Limits
from hotswap.transfer.buffers import byte_view
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

SEGMENT = Segment(name="w", dtype="float32", shape=(2, 3), nbytes=24, checksum=2**64 - 1)
HEADER = BundleHeader(
    kind="gradients", epoch=3, step=1204, rank=1, token=7, meta=b"m", segments=(SEGMENT,)
)


def decode(encoded: bytes, *, limits: Limits) -> BundleHeader:
    nbytes, header_checksum = decode_prefix(encoded[:PREFIX_NBYTES], limits=limits)
    body = bytearray(encoded[PREFIX_NBYTES:])
    assert len(body) == nbytes
    return decode_header(body, header_checksum=header_checksum, limits=limits)


def with_segment(**changes: object) -> BundleHeader:
    segment = msgspec.structs.replace(SEGMENT, **changes)
    return msgspec.structs.replace(HEADER, segments=(segment,))


def test_a_header_arrives_as_it_was(limits: Limits) -> None:
    assert decode(encode_header(HEADER, limits=limits), limits=limits) == HEADER


def test_a_segment_describes_its_tensor() -> None:
    tensor = torch.ones(2, 3, dtype=torch.bfloat16)
    view = byte_view(tensor)
    assert describe(tensor, name="w", view=view) == Segment(
        name="w", dtype="bfloat16", shape=(2, 3), nbytes=12, checksum=checksum(view)
    )


def test_a_tensor_without_plain_bytes_is_not_described() -> None:
    with pytest.raises(UnsupportedTensor):
        describe(torch.eye(2).to_sparse(), name="w", view=memoryview(b""))


def test_garbage_is_not_taken_for_a_bundle(limits: Limits) -> None:
    with pytest.raises(BundleMalformed, match="GET / HT"):
        decode_prefix(b"GET / HTTP/1.1\r\n\r\n", limits=limits)


def test_another_version_is_refused_by_name(limits: Limits) -> None:
    prefix = bytearray(encode_header(HEADER, limits=limits)[:PREFIX_NBYTES])
    prefix[5] = 9
    with pytest.raises(BundleVersionUnknown, match="version 9, this side reads 1"):
        decode_prefix(prefix, limits=limits)


def test_a_header_above_its_limit_is_refused_before_it_is_read(limits: Limits) -> None:
    prefix = encode_header(HEADER, limits=limits)[:PREFIX_NBYTES]
    small = dataclasses.replace(limits, bundle_header_nbytes_max=16)
    with pytest.raises(BundleTooLarge, match="bundle_header_nbytes_max is 16"):
        decode_prefix(prefix, limits=small)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bundle_header_nbytes_max", 16),
        ("bundle_segments_max", 0),
        ("bundle_segment_nbytes_max", 23),
        ("bundle_nbytes_max", 23),
    ],
)
def test_the_sender_keeps_the_limits_too(limits: Limits, name: str, value: int) -> None:
    with pytest.raises(BundleTooLarge, match=f"{name} is {value}"):
        encode_header(HEADER, limits=dataclasses.replace(limits, **{name: value}))


@pytest.mark.parametrize("name", ["segments_max", "segment_nbytes_max", "nbytes_max"])
def test_the_receiver_keeps_its_own_limits(limits: Limits, name: str) -> None:
    encoded = encode_header(HEADER, limits=limits)
    with pytest.raises(BundleTooLarge, match=f"bundle_{name} is 0"):
        decode(encoded, limits=dataclasses.replace(limits, **{f"bundle_{name}": 0}))


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (with_segment(dtype="float31"), "unknown dtype"),
        (with_segment(nbytes=25), "announces 25 bytes"),
        (with_segment(shape=(2, 4)), "announces 24 bytes"),
        (msgspec.structs.replace(HEADER, segments=(SEGMENT, SEGMENT)), "same name"),
    ],
)
def test_a_header_that_contradicts_itself_is_refused(
    limits: Limits, header: BundleHeader, problem: str
) -> None:
    body = bytearray(msgspec.msgpack.encode(header))
    with pytest.raises(BundleMalformed, match=problem):
        decode_header(body, header_checksum=checksum(body), limits=limits)


@pytest.mark.parametrize("changes", [{"nbytes": -1}, {"shape": (-2, -3)}, {"shape": (1,) * 65}])
def test_sizes_that_cannot_be_are_refused(limits: Limits, changes: dict[str, object]) -> None:
    body = bytearray(msgspec.msgpack.encode(with_segment(**changes)))
    with pytest.raises(BundleMalformed, match="cannot be read"):
        decode_header(body, header_checksum=checksum(body), limits=limits)


@given(bit=st.integers(min_value=0))
def test_one_flipped_bit_in_prefix_or_header_is_noticed(bit: int) -> None:
    limits = Limits()
    encoded = bytearray(encode_header(HEADER, limits=limits))
    # The size is left out: a wrong one shows in the checksum of what is then read.
    places = [i for i in range(len(encoded) * 8) if not 6 * 8 <= i < 10 * 8]
    place = places[bit % len(places)]
    encoded[place // 8] ^= 1 << place % 8
    with pytest.raises((BundleMalformed, BundleVersionUnknown)):
        decode(bytes(encoded), limits=limits)


@given(body=st.binary(max_size=200))
def test_arbitrary_bytes_with_a_right_checksum_are_malformed(body: bytes) -> None:
    with pytest.raises(BundleMalformed):
        decode_header(bytearray(body), header_checksum=checksum(body), limits=Limits())


def test_a_field_of_a_later_version_is_passed_over(limits: Limits) -> None:
    fields = {**msgspec.to_builtins(HEADER), "meta": b"m", "later": 1}
    body = bytearray(msgspec.msgpack.encode(fields))
    assert decode_header(body, header_checksum=checksum(body), limits=limits) == HEADER

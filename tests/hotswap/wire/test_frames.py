"""A stream of bytes becomes the frames that were put into it, or a clear error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.errors import BadFrame, UnknownProtocolVersion, WireError
from hotswap.wire.frames import HEADER, MAGIC, FrameDecoder, encode_frame
from hotswap.wire.messages import PROTOCOL_VERSION

LIMIT = 1000


def decoder() -> FrameDecoder:
    return FrameDecoder(payload_nbytes_max=LIMIT)


def pop_all(stream: FrameDecoder) -> list[bytes]:
    return list(iter(stream.pop, None))


@given(payloads=st.lists(st.binary(max_size=40)), cuts=st.lists(st.integers(0, 60)))
def test_frames_come_out_as_they_went_in_however_the_stream_is_cut(
    payloads: list[bytes], cuts: list[int]
) -> None:
    stream = b"".join(encode_frame(each, payload_nbytes_max=LIMIT) for each in payloads)
    frames, received = decoder(), list[bytes]()
    for cut in [*cuts, len(stream)]:
        frames.feed(stream[:cut])
        received += pop_all(frames)
        stream = stream[cut:]
    frames.feed(stream)
    assert received + pop_all(frames) == payloads
    assert not frames.is_within_frame


@given(payloads=st.lists(st.binary(max_size=40), min_size=1))
def test_a_reader_that_asks_for_what_is_missing_never_overreads(payloads: list[bytes]) -> None:
    stream = b"".join(encode_frame(each, payload_nbytes_max=LIMIT) for each in payloads)
    frames = decoder()
    for payload in payloads:
        while (received := frames.pop()) is None:
            part, stream = stream[: frames.missing_nbytes], stream[frames.missing_nbytes :]
            assert part
            frames.feed(part)
        assert received == payload
        assert not frames.is_within_frame


@given(garbage=st.binary(min_size=1, max_size=200))
def test_garbage_is_refused_or_incomplete_and_never_another_error(garbage: bytes) -> None:
    frames = decoder()
    frames.feed(garbage)
    try:
        pop_all(frames)
    except WireError:
        with pytest.raises(WireError):
            frames.pop()
    else:
        assert frames.is_within_frame or garbage.startswith(MAGIC)


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\n", b"\x16\x03\x01\x02", b"X", b"HSX"])
def test_another_protocol_is_recognised_by_its_first_byte_that_differs(garbage: bytes) -> None:
    frames = decoder()
    frames.feed(garbage)
    with pytest.raises(BadFrame, match="does not speak hotswap's control protocol"):
        frames.pop()


def test_another_version_is_refused_with_both_versions() -> None:
    frames = decoder()
    frames.feed(MAGIC + bytes([PROTOCOL_VERSION + 6]))
    with pytest.raises(UnknownProtocolVersion) as refused:
        frames.pop()
    assert (refused.value.received, refused.value.expected) == (
        PROTOCOL_VERSION + 6,
        PROTOCOL_VERSION,
    )
    assert f"version {PROTOCOL_VERSION + 6}" in str(refused.value)


def test_a_frame_too_large_is_refused_by_its_header_alone() -> None:
    frames = decoder()
    frames.feed(HEADER.pack(MAGIC, PROTOCOL_VERSION, 0, LIMIT + 1))
    with pytest.raises(BadFrame, match=f"{LIMIT + 1} bytes is larger than the {LIMIT}"):
        frames.pop()


def test_a_payload_too_large_is_not_sent() -> None:
    assert encode_frame(b"x" * LIMIT, payload_nbytes_max=LIMIT)
    with pytest.raises(BadFrame):
        encode_frame(b"x" * (LIMIT + 1), payload_nbytes_max=LIMIT)


def test_a_reserved_byte_that_is_set_is_refused() -> None:
    frames = decoder()
    frames.feed(HEADER.pack(MAGIC, PROTOCOL_VERSION, 3, 0))
    with pytest.raises(BadFrame, match="reserved"):
        frames.pop()


def test_what_came_before_garbage_is_delivered() -> None:
    frames = decoder()
    frames.feed(encode_frame(b"first", payload_nbytes_max=LIMIT) + b"garbage")
    assert frames.pop() == b"first"
    with pytest.raises(BadFrame):
        frames.pop()


@given(cut=st.integers(1, HEADER.size + 4))
def test_a_truncated_frame_is_noticed_at_the_end(cut: int) -> None:
    frames = decoder()
    frames.feed(encode_frame(b"abcde", payload_nbytes_max=LIMIT)[:cut])
    assert frames.pop() is None
    assert frames.is_within_frame

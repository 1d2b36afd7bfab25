"""Every message survives the wire; whatever else arrives is refused with a reason."""

from contextlib import suppress
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.errors import BadFrame, UnknownMessage, WireError
from hotswap.wire import messages
from hotswap.wire.codec import decode_from_coordinator, decode_to_coordinator, encode_message
from hotswap.wire.messages import (
    FromCoordinator,
    Heartbeat,
    Hello,
    Message,
    Shutdown,
    ToCoordinator,
)

TO_COORDINATOR: tuple[type[Message], ...] = get_args(ToCoordinator)
FROM_COORDINATOR: tuple[type[Message], ...] = get_args(FromCoordinator)
# what msgpack can carry as an integer, and a float that equals itself
st.register_type_strategy(int, st.integers(-(2**63), 2**63 - 1))
st.register_type_strategy(float, st.floats(allow_nan=False))


def any_message(kinds: tuple[type[Message], ...]) -> st.SearchStrategy[Message]:
    return st.one_of([build(kind) for kind in kinds])


def build(kind: type[Message]) -> st.SearchStrategy[Message]:
    fields = {
        field.name: st.from_type(field.type).filter(encodable)
        for field in msgspec.structs.fields(kind)
    }
    return st.builds(kind, **fields)


def encodable(value: object) -> bool:
    """Leave out text with lone surrogates, which isn't UTF-8."""
    try:
        msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        return False
    return True


@given(message=any_message(TO_COORDINATOR))
def test_a_message_to_the_coordinator_survives_the_wire(message: Message) -> None:
    assert decode_to_coordinator(encode_message(message)) == message


@given(message=any_message(FROM_COORDINATOR))
def test_a_message_from_the_coordinator_survives_the_wire(message: Message) -> None:
    assert decode_from_coordinator(encode_message(message)) == message


def test_every_message_of_the_vocabulary_has_a_direction() -> None:
    defined = {
        kind
        for kind in vars(messages).values()
        if isinstance(kind, type) and issubclass(kind, Message) and kind is not Message
    }
    assert defined == {*TO_COORDINATOR, *FROM_COORDINATOR}


@given(payload=st.binary(max_size=200))
def test_garbage_is_refused_as_garbage(payload: bytes) -> None:
    for decode in (decode_to_coordinator, decode_from_coordinator):
        with pytest.raises(WireError):
            decode(payload)


@given(message=any_message(TO_COORDINATOR), data=st.data())
def test_a_damaged_message_is_a_message_or_refused_and_never_another_error(
    message: Message, data: st.DataObject
) -> None:
    payload = bytearray(encode_message(message))
    position = data.draw(st.integers(0, len(payload) - 1))
    payload[position] = data.draw(st.integers(0, 255))
    with suppress(WireError):
        decode_to_coordinator(bytes(payload))


def test_a_message_of_a_later_version_is_named() -> None:
    payload = msgspec.msgpack.encode({"type": "Levitate", "height": 3})
    with pytest.raises(UnknownMessage, match="Levitate") as refused:
        decode_to_coordinator(payload)
    assert refused.value.tag == "Levitate"


def test_a_message_in_the_wrong_direction_is_named() -> None:
    with pytest.raises(UnknownMessage, match="Shutdown"):
        decode_to_coordinator(encode_message(Shutdown(token=1, ok=True, reason="")))
    with pytest.raises(UnknownMessage, match="Heartbeat"):
        decode_from_coordinator(encode_message(Heartbeat(epoch=1)))


def test_a_field_of_another_type_is_named() -> None:
    payload = msgspec.msgpack.encode({"type": "Heartbeat", "epoch": "three"})
    with pytest.raises(BadFrame, match=r"Heartbeat.*epoch"):
        decode_to_coordinator(payload)


def test_a_field_that_is_missing_is_named() -> None:
    with pytest.raises(BadFrame, match=r"Hello.*protocol"):
        decode_to_coordinator(msgspec.msgpack.encode({"type": "Hello"}))


def test_fields_of_a_later_version_are_passed_over() -> None:
    payload = msgspec.msgpack.encode({"type": "Heartbeat", "epoch": 3, "mood": "fine"})
    assert decode_to_coordinator(payload) == Heartbeat(epoch=3)


def test_nesting_without_end_is_refused() -> None:
    bomb = b"\x82\xa4type\xa9Heartbeat\xa4mood" + b"\x91" * 100_000 + b"\xc0"
    with pytest.raises(BadFrame):
        decode_to_coordinator(bomb)


def test_defaults_take_no_room_on_the_wire() -> None:
    hello = Hello(protocol=1, job="gpt", role="member", name="node-0", pid=1)
    assert b"torch_version" not in encode_message(hello)

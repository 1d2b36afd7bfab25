"""The codec of small state: exact, of plain values only, and safe to be fed with anything."""

import math
import struct
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from hotswap.errors import StateMalformed, StateNotEncodable
from hotswap.limits import Limits
from hotswap.runtime.capsule.small import decode_state, encode_state

LIMITS = Limits()
KEYS = st.text() | st.integers()
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(2**200), max_value=2**200)
    | st.floats()
    | st.text()
    | st.binary()
    | st.sampled_from([torch.float32, torch.bfloat16, torch.int64, torch.device("cpu")])
    | st.lists(st.integers(0, 100)).map(torch.Size)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.dictionaries(KEYS, inner, max_size=4).map(OrderedDict)
        | st.dictionaries(KEYS, inner, max_size=4).map(lambda items: defaultdict(list, items))
        | st.dictionaries(KEYS, st.integers(), max_size=4).map(Counter)
    ),
    max_leaves=20,
)


def round_trip(value: object) -> Any:
    blob, tensors = encode_state(value, limits=LIMITS)
    return decode_state(blob, tensors, limits=LIMITS)


def same(one: object, other: object) -> bool:
    """Return whether two values are the same, down to types, key order and bits of floats."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, dict):
        assert isinstance(other, dict)
        factories = [getattr(value, "default_factory", None) for value in (one, other)]
        if factories[0] is not factories[1]:
            return False
        return same(list(one.items()), list(other.items()))
    if isinstance(one, list | tuple):
        assert isinstance(other, list | tuple)
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return one == other


@given(VALUES)
def test_what_goes_in_comes_out(value: object) -> None:
    assert same(round_trip(value), value)


@pytest.mark.parametrize(
    "value",
    [
        2**63 - 1,
        2**63,
        -(2**63),
        -(2**63) - 1,
        1 << 20_000,
        {1 << 20_000: 1},
        math.inf,
        -math.inf,
        -0.0,
        5e-324,
        struct.unpack("<d", b"\x01\x02\x03\x04\x05\x06\xf8\x7f")[0],
        "",
        "\x00 é 漢 😀",
        b"\x00\xff",
        [],
        (),
        {},
        {"1": 1, 1: 2},
        ((1,), [(2,)]),
        torch.Size([]),
        torch.device("cuda:3"),
        defaultdict(None, {"a": 1}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_edges_come_out_as_they_went_in(value: object) -> None:
    assert same(round_trip(value), value)


def test_tensors_travel_beside_the_blob_in_order() -> None:
    first, second = torch.randn(2, 3), torch.randn(())
    blob, tensors = encode_state({"b": [first], "a": second}, limits=LIMITS)
    assert len(tensors) == 2
    assert len(blob) < 64
    found: Any = decode_state(blob, tensors, limits=LIMITS)
    assert found["b"][0] is tensors[0]
    assert found["a"] is tensors[1]
    assert torch.equal(found["b"][0], first)
    assert tensors[0].data_ptr() == first.data_ptr()


def test_a_parameter_travels_as_its_data() -> None:
    parameter = nn.Parameter(torch.randn(3))
    assert type(round_trip(parameter)) is torch.Tensor
    assert not round_trip(parameter).requires_grad


def test_numpys_float64_is_a_float() -> None:
    assert same(round_trip(np.float64(0.1)), 0.1)


class Anything:
    """A type of the script's own."""


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"scheduler": {"lr_lambdas": [Anything()]}}, "scheduler.lr_lambdas[0]"),
        ({"extra": {"my state": {3: {1, 2}}}}, "extra['my state'][3]"),
        ({"extra": [(None, lambda: None)]}, "extra[0][1]"),
        ({"scaler": np.float32(1)}, "scaler"),
        ({"a": {"x": {1.5: 0}}}, "a.x"),
        ({"a": {True: 0}}, "a"),
        ({"a": bytearray(b"x")}, "a"),
        ({"a": defaultdict(Anything)}, "a"),
        ({"a": torch.eye(2).to_sparse()}, "a"),
        ({"a": "\ud800"}, "a"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_anything_else_is_refused_by_its_path(value: object, path: str) -> None:
    with pytest.raises(StateNotEncodable) as caught:
        encode_state(value, limits=LIMITS)
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path} ")


def test_the_message_says_what_to_do() -> None:
    with pytest.raises(StateNotEncodable, match="leave it out of state_dict and set it up again"):
        encode_state({"extra": Anything()}, limits=LIMITS)


def test_a_value_that_contains_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(StateNotEncodable, match="small_state_depth_max"):
        encode_state(value, limits=LIMITS)


def test_every_limit_is_held() -> None:
    deep: Any = 0
    for _ in range(33):
        deep = [deep]
    with pytest.raises(StateNotEncodable, match="small_state_depth_max"):
        encode_state(deep, limits=LIMITS)
    assert same(round_trip(deep[0]), deep[0])
    with pytest.raises(StateNotEncodable, match="small_state_nbytes_max"):
        encode_state(b"x" * 101, limits=Limits(small_state_nbytes_max=100))
    with pytest.raises(StateNotEncodable, match="small_state_tensors_max"):
        encode_state([torch.zeros(1)] * 3, limits=Limits(small_state_tensors_max=2))


def test_a_receiver_holds_its_limits_too() -> None:
    blob, _ = encode_state([[[1]]], limits=LIMITS)
    with pytest.raises(StateMalformed, match="small_state_depth_max"):
        decode_state(blob, [], limits=Limits(small_state_depth_max=2))
    with pytest.raises(StateMalformed, match="small_state_nbytes_max"):
        decode_state(blob, [], limits=Limits(small_state_nbytes_max=4))


@given(st.binary(max_size=200))
def test_garbage_is_refused_or_is_a_value(blob: bytes) -> None:
    try:
        value = decode_state(blob, [], limits=LIMITS)
    except StateMalformed:
        return
    assert same(round_trip(value), value)


@given(VALUES, st.data())
def test_a_damaged_blob_is_refused_or_is_another_value(value: object, data: st.DataObject) -> None:
    blob = bytearray(encode_state(value, limits=LIMITS)[0])
    position = data.draw(st.integers(0, len(blob) - 1))
    blob[position] ^= data.draw(st.integers(1, 255))
    try:
        found = decode_state(bytes(blob), [], limits=LIMITS)
    except StateMalformed:
        return
    assert same(round_trip(found), found)


RAW = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text()
    | st.binary()
    | st.sampled_from(
        [
            *("list", "tuple", "dict", "OrderedDict", "Counter", "defaultdict", "tensor", "int"),
            *("dtype", "device", "Size", "none", "load", "float32", "cpu"),
        ]
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=20,
)


@given(RAW)
def test_well_formed_nonsense_is_refused_or_is_a_value(raw: object) -> None:
    try:
        value = decode_state(msgspec.msgpack.encode(raw), [], limits=LIMITS)
    except StateMalformed:
        return
    assert same(round_trip(value), value)


@pytest.mark.parametrize(
    "raw",
    [
        {"a": 1},
        [],
        ["list"],
        ["list", 3],
        ["set", []],
        ["dict", [["a"]]],
        ["dict", [["a", 1], ["a", 2]]],
        ["dict", [[None, 1]]],
        ["defaultdict", []],
        ["defaultdict", [], "eval"],
        ["list", [], "int"],
        ["int", "zz"],
        ["int", 5],
        ["dtype", "load"],
        ["dtype", "float33"],
        ["device", "moon"],
        ["Size", [1.5]],
        ["Size", [2**63]],
        ["tensor", 0],
        ["tensor", "0"],
        msgspec.msgpack.Ext(5, b"x"),
    ],
)
def test_each_malformation_is_refused(raw: object) -> None:
    with pytest.raises(StateMalformed, match="refuse it"):
        decode_state(msgspec.msgpack.encode(raw), [], limits=LIMITS)


@pytest.mark.parametrize("named", [[1, 0], [0, 0], [0], [0, 1, 2], [-1, 0]])
def test_tensors_have_to_be_named_once_and_in_order(named: list[int]) -> None:
    blob = msgspec.msgpack.encode(["list", [["tensor", index] for index in named]])
    with pytest.raises(StateMalformed):
        decode_state(blob, [torch.zeros(1), torch.ones(1)], limits=LIMITS)


def test_a_very_deep_blob_is_refused() -> None:
    with pytest.raises(StateMalformed):
        decode_state(b"\x91" * 100_000 + b"\x01", [], limits=LIMITS)

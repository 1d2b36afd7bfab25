"""A codec for the small state of a rank: plain values and tensors, exactly, and nothing else.

Schedulers, gradient scalers and other holders of state have a ``state_dict``. Its plain values
become MessagePack, its tensors are named by their position in a list beside it. Every container
carries its type as a tag, so that what comes back is what went in: tuples stay tuples, integers
may be of any size, floats keep their bits. Decoding runs no code that the bytes choose.

Encoding: None, booleans, strings, bytes, floats and integers of 64 bits stand for themselves; all
else is an array that begins with a tag.
"""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, cast

import msgspec
import torch
from torch import Tensor

from hotswap.errors import StateMalformed, StateNotEncodable
from hotswap.limits import Limits
from hotswap.runtime.capsule.tensors import dtype_name, dtype_named, local

_DEFAULT_FACTORIES: Final[dict[str, Callable[[], object] | None]] = {
    "none": None,
    "int": int,
    "float": float,
    "str": str,
    "list": list,
    "dict": dict,
}


def encode_state(value: object, *, limits: Limits, name: str = "") -> tuple[bytes, list[Tensor]]:
    """Return ``value`` as a blob, and the tensors in it in the order in which the blob names them.

    The tensors are local and share the memory of those in ``value``. ``name`` is what
    errors call ``value``.

    Raises:
        StateNotEncodable: a value in it is of another type, or it is beyond a limit; the message
            names the path to it, such as ``scheduler.lr_lambdas[0]``.

    """
    encoder = _Encoder(limits=limits)
    blob = msgspec.msgpack.encode(encoder.encode(value, path=name, depth=0))
    if len(blob) > limits.small_state_nbytes_max:
        problem = (
            f"takes {len(blob)} bytes, small_state_nbytes_max is {limits.small_state_nbytes_max}: "
            "keep large data in tensors, which travel beside it"
        )
        raise StateNotEncodable(name, problem)
    return blob, encoder.tensors


def decode_state(blob: bytes, tensors: Sequence[Tensor], *, limits: Limits) -> object:
    """Return the value that was encoded as ``blob`` and ``tensors``.

    Its tensors are those of ``tensors`` themselves, not copies.

    Raises:
        StateMalformed: the bytes are not such a blob, are beyond a limit, or do not name each of
            ``tensors`` once, in order.

    """
    if len(blob) > limits.small_state_nbytes_max:
        message = f"a small state of {len(blob)} bytes is above small_state_nbytes_max: refuse it"
        raise StateMalformed(message)
    try:
        raw = msgspec.msgpack.decode(blob)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message = f"the small state cannot be read ({error}): refuse it and ask for it again"
        raise StateMalformed(message) from error
    decoder = _Decoder(tensors, limits=limits)
    value = decoder.decode(raw, depth=0)
    if decoder.taken != len(tensors):
        message = f"the small state names {decoder.taken} tensors, {len(tensors)} came: refuse it"
        raise StateMalformed(message)
    return value


class _Encoder:
    def __init__(self, *, limits: Limits) -> None:
        self.tensors: list[Tensor] = []
        self._limits = limits

    def encode(self, value: object, *, path: str, depth: int) -> object:
        if depth > self._limits.small_state_depth_max:
            problem = (
                f"is nested deeper than small_state_depth_max "
                f"({self._limits.small_state_depth_max}), or contains itself: flatten it"
            )
            raise StateNotEncodable(path, problem)
        if isinstance(value, Tensor):
            return ["tensor", self._tensor(value, path=path)]
        if isinstance(value, dict):
            return self._dict(value, path=path, depth=depth)
        if type(value) in (list, tuple):
            return [
                type(value).__name__,
                self._items(cast("list[object]", value), path=path, depth=depth),
            ]
        return _encode_leaf(value, path=path)

    def _items(self, values: Iterable[object], *, path: str, depth: int) -> list[object]:
        return [
            self.encode(item, path=f"{path}[{index}]", depth=depth + 1)
            for index, item in enumerate(values)
        ]

    def _dict(self, value: dict[Any, Any], *, path: str, depth: int) -> list[object]:
        pairs = []
        for key, item in value.items():
            if type(key) not in (str, int):
                problem = (
                    f"has a key of type {type(key).__name__}: only strings and integers can be keys"
                )
                raise StateNotEncodable(path, problem)
            encoded_key = _encode_leaf(key, path=path)
            encoded = self.encode(item, path=_child(path, key), depth=depth + 1)
            pairs.append([encoded_key, encoded])
        if type(value) is defaultdict:
            return ["defaultdict", pairs, _factory_name(value, path=path)]
        if type(value) not in (dict, OrderedDict, Counter):
            problem = _type_problem(value)
            raise StateNotEncodable(path, problem)
        return [type(value).__name__, pairs]

    def _tensor(self, value: Tensor, *, path: str) -> int:
        plain = local(value)
        if plain.layout is not torch.strided or type(plain) is not Tensor or plain.is_quantized:
            problem = (
                f"is a tensor of type {type(plain).__name__}, layout {plain.layout}, dtype "
                f"{plain.dtype}: keep a dense plain tensor instead"
            )
            raise StateNotEncodable(path, problem)
        if len(self.tensors) >= self._limits.small_state_tensors_max:
            problem = (
                f"is one tensor more than small_state_tensors_max "
                f"({self._limits.small_state_tensors_max}): keep fewer, larger ones"
            )
            raise StateNotEncodable(path, problem)
        self.tensors.append(plain)
        return len(self.tensors) - 1


def _child(path: str, key: str | int) -> str:
    if isinstance(key, str) and key.isidentifier():
        return f"{path}.{key}" if path else key
    # Python refuses to write very long integers in decimal digits
    return f"{path}[{key!r}]" if isinstance(key, str) or _is_int64(key) else f"{path}[{key:#x}]"


def _encode_leaf(value: object, *, path: str) -> object:
    if value is None or type(value) in (bool, bytes):
        return value
    if type(value) is int:
        return value if _is_int64(value) else ["int", f"{value:x}"]
    if isinstance(value, float):
        # numpy's float64 is a float, and what a schedule written with numpy leaves behind
        return float(value)
    if type(value) is str:
        return _checked_text(value, path=path)
    return _encode_torch_value(value, path=path)


def _encode_torch_value(value: object, *, path: str) -> object:
    if isinstance(value, torch.dtype):
        return ["dtype", dtype_name(value)]
    if isinstance(value, torch.device):
        return ["device", str(value)]
    if isinstance(value, torch.Size) and all(_is_int64(size) for size in value):
        return ["Size", list(value)]
    raise StateNotEncodable(path, _type_problem(value))


def _checked_text(value: str, *, path: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        problem = f"is a string that has no UTF-8 ({error.reason}): keep it as bytes"
        raise StateNotEncodable(path, problem) from error
    return value


def _type_problem(value: object) -> str:
    return (
        f"is a {type(value).__name__}: a rank's state is made of None, numbers, strings, bytes, "
        "lists, tuples, dictionaries and tensors; leave it out of state_dict and set it up again "
        "in the script"
    )


def _factory_name(value: defaultdict[Any, Any], *, path: str) -> str:
    for name, factory in _DEFAULT_FACTORIES.items():
        if value.default_factory is factory:
            return name
    problem = f"is a defaultdict of {value.default_factory!r}: take a plain dictionary instead"
    raise StateNotEncodable(path, problem)


class _Decoder:
    def __init__(self, tensors: Sequence[Tensor], *, limits: Limits) -> None:
        self.taken = 0
        self._tensors = tensors
        self._depth_max = limits.small_state_depth_max

    def decode(self, raw: object, *, depth: int) -> object:
        if depth > self._depth_max:
            raise _malformed("is nested deeper than small_state_depth_max")
        if raw is None or type(raw) in (bool, int, float, str, bytes):
            return raw
        if type(raw) is not list or len(raw) not in (2, 3) or type(raw[0]) is not str:
            raise _malformed(f"holds {type(raw).__name__} where a tagged value should be")
        tag, payload, *rest = raw
        if (tag == "defaultdict") != bool(rest):
            raise _malformed(f"holds a {tag!r} of {len(raw)} parts")
        if tag in ("list", "tuple"):
            items = [self.decode(item, depth=depth + 1) for item in _listed(payload)]
            return items if tag == "list" else tuple(items)
        if tag in ("dict", "OrderedDict", "Counter", "defaultdict"):
            return self._dict(tag, payload, rest, depth=depth)
        if tag == "tensor":
            return self._tensor(payload)
        return _decode_leaf(tag, payload)

    def _dict(self, tag: str, payload: object, rest: list[object], *, depth: int) -> object:
        pairs: dict[Any, Any] = {}
        for pair in _listed(payload):
            if type(pair) is not list or len(pair) != 2:  # noqa: PLR2004  # key and value
                raise _malformed("holds a dictionary entry that is no pair")
            key = self.decode(pair[0], depth=depth + 1)
            if type(key) not in (str, int) or key in pairs:
                raise _malformed("holds a dictionary with a wrong or repeated key")
            pairs[key] = self.decode(pair[1], depth=depth + 1)
        if tag == "dict":
            return pairs
        if tag == "OrderedDict":
            return OrderedDict(pairs)
        if tag == "Counter":
            counter: Counter[Any] = Counter()
            # its own update would add up what it holds already
            dict.update(counter, pairs)
            return counter
        if type(rest[0]) is not str or rest[0] not in _DEFAULT_FACTORIES:
            raise _malformed("holds a defaultdict of an unknown factory")
        return defaultdict(_DEFAULT_FACTORIES[rest[0]], pairs)

    def _tensor(self, payload: object) -> Tensor:
        if type(payload) is not int or payload != self.taken or payload >= len(self._tensors):
            raise _malformed("names a tensor that did not come, or not in order")
        self.taken += 1
        return self._tensors[payload]


def _decode_leaf(tag: str, payload: object) -> object:
    try:
        if tag == "int" and type(payload) is str:
            return int(payload, 16)
        if tag == "dtype" and type(payload) is str:
            dtype = dtype_named(payload)
            if dtype is not None:
                return dtype
        if tag == "device" and type(payload) is str:
            return torch.device(payload)
        if tag == "Size" and all(_is_int64(size) for size in _listed(payload)):
            return torch.Size(_listed(payload))
    except (RuntimeError, ValueError, TypeError, OverflowError) as error:
        raise _malformed(f"holds a wrong {tag!r} ({error})") from error
    raise _malformed(f"holds an unknown value, tagged {tag[:40]!r}")


def _is_int64(value: object) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def _listed(payload: object) -> list[Any]:
    if type(payload) is not list:
        raise _malformed(f"holds {type(payload).__name__} where a list should be")
    return payload


def _malformed(problem: str) -> StateMalformed:
    return StateMalformed(f"the small state {problem}: refuse it and ask for it again")

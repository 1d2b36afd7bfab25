"""Digests of tensors and of states, and the checksum of frames in flight.

A *digest* is BLAKE3 and says that two states are the same bits; it is what manifests and
certificates carry. A *checksum* is XXH3-64: it catches accidents on the way and nothing else, at
a fifth of the cost or less.
"""

from collections.abc import Mapping

import msgspec
import xxhash
from blake3 import blake3
from torch import Tensor

from hotswap.transfer.buffers import byte_view, dtype_name, host_contiguous


def tensor_digest(tensor: Tensor, *, name: str) -> str:
    """Return the BLAKE3 digest (64 hex digits) of name, dtype, shape and elements of ``tensor``.

    Any shape, any device, contiguous or not: equal elements in equal order give equal digests.
    Contiguous host memory is read where it lies. Elements are compared as bits, so that 0.0 and
    -0.0 differ, and a NaN equals only a NaN of the same bits.

    Raises:
        UnsupportedTensor: the tensor has no plain bytes.

    """
    view = byte_view(host_contiguous(tensor, name=name))
    dtype = dtype_name(tensor, name=name)
    return _digest(view, meaning=("tensor", name, dtype, *tensor.shape))


def tensor_digests(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """Return `tensor_digest` of each tensor, by name."""
    return {name: tensor_digest(tensor, name=name) for name, tensor in tensors.items()}


def tensor_checksums(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """Return the `checksum` of each tensor's elements, as hex: what changed at rest, at low cost.

    Raises `UnsupportedTensor` as `tensor_digest` does.
    """
    return {
        name: f"{checksum(byte_view(host_contiguous(tensor, name=name))):016x}"
        for name, tensor in tensors.items()
    }


def blob_digest(blob: bytes) -> str:
    """Return the BLAKE3 digest of opaque bytes, such as a rank's small state."""
    return _digest(blob, meaning=("blob",))


def root_digest(digests: Mapping[str, str]) -> str:
    """Return one digest over named digests; the order of ``digests`` does not matter."""
    return _digest(msgspec.json.encode(sorted(digests.items())), meaning=("root",))


def checksum(buffer: bytes | bytearray | memoryview) -> int:
    """Return the XXH3-64 checksum of ``buffer``, 0 to 2**64 - 1."""
    return xxhash.xxh3_64_intdigest(buffer)


def differing(a: Mapping[str, str], b: Mapping[str, str]) -> list[str]:
    """Return, sorted, the names whose digest differs or that only one side has."""
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def _digest(data: bytes | memoryview, *, meaning: tuple[str | int, ...]) -> str:
    # BLAKE3 is fastest when the long part comes first. What the bytes mean follows them, its own
    # length last: read from the end, the whole can be taken in one way only.
    hasher = blake3(data)
    label = msgspec.json.encode(meaning)
    hasher.update(label + len(label).to_bytes(8, "little"))
    return hasher.hexdigest()

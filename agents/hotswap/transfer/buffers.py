"""Raw bytes of tensors: the one place where a tensor is looked at as memory.

Bytes are those of the tensor's elements in row-major order, as this machine stores them
(little-endian on every platform torch runs on).
"""

import ctypes
from typing import Final

import torch
from torch import Tensor

from hotswap.errors import UnsupportedTensor

#: dtypes that can be moved and stored, by the name they carry on the wire and on disk.
DTYPES: Final = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.uint16,
        torch.int16,
        torch.uint32,
        torch.int32,
        torch.uint64,
        torch.int64,
        torch.float8_e4m3fn,
        torch.float8_e4m3fnuz,
        torch.float8_e5m2,
        torch.float8_e5m2fnuz,
        torch.float8_e8m0fnu,
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
        torch.complex64,
        torch.complex128,
    )
}

_NAMES: Final = {dtype: name for name, dtype in DTYPES.items()}
# A subclass (DTensor, FakeTensor, ...) may hold only a part of what its shape says, or nothing.
_PLAIN: Final = (Tensor, torch.nn.Parameter)


def dtype_name(tensor: Tensor, *, name: str) -> str:
    """Return the wire name of the dtype of ``tensor``, which the caller knows as ``name``.

    Raises `UnsupportedTensor` for a dtype, a layout or a tensor subclass that has no plain bytes.
    """
    if type(tensor) not in _PLAIN:
        raise UnsupportedTensor(
            name, f"is a {type(tensor).__name__}; pass the local shard (`.to_local()`)"
        )
    if tensor.layout is not torch.strided:
        raise UnsupportedTensor(
            name, f"has layout {tensor.layout}; only strided tensors have bytes"
        )
    known = _NAMES.get(tensor.dtype)
    if known is None:
        raise UnsupportedTensor(name, f"has dtype {tensor.dtype}, which is not supported")
    return known


def host_contiguous(tensor: Tensor, *, name: str) -> Tensor:
    """Return ``tensor`` itself when it is contiguous host memory, else such a copy of it.

    A lazy conjugate or negation, which is a flag and not bytes, is carried out. Raises
    `UnsupportedTensor` as `dtype_name` does for what cannot be copied that way.
    """
    if _is_plain_memory(tensor):
        return tensor
    dtype_name(tensor, name=name)
    return tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()


def byte_view(tensor: Tensor) -> memoryview:
    """Return the memory of a contiguous host tensor, writable, without copying it.

    The view keeps the tensor alive; its storage must not be resized meanwhile. Raises `ValueError`
    when the tensor is anything else, because a view of a copy would be written in vain.
    """
    if not _is_plain_memory(tensor):
        message = (
            f"only contiguous host memory has a byte view, not {tensor.device} {tensor.stride()}"
        )
        raise ValueError(message)
    nbytes = tensor.nbytes
    if nbytes == 0:
        return memoryview(bytearray())
    # The way over torch.view and numpy takes five times as long, and a step moves hundreds of
    # tensors. The array is tied to the tensor below, so the address cannot outlive the memory.
    memory = (ctypes.c_ubyte * nbytes).from_address(tensor.data_ptr())
    memory.owner = tensor  # type: ignore[attr-defined]  # ctypes arrays take attributes
    return memoryview(memory).cast("B")


def _is_plain_memory(tensor: Tensor) -> bool:
    plain = type(tensor) in _PLAIN and tensor.layout is torch.strided and tensor.is_cpu
    return plain and tensor.is_contiguous() and not tensor.is_conj() and not tensor.is_neg()

"""Plain local tensors behind parameters, gradients, buffers and optimizer state.

*Memory order* is the order of a tensor's dimensions from slowest to fastest in memory. Permuted
into it, a dense tensor is contiguous, whatever its memory format, and shares its memory. Owner
and mirror both compute on tensors in memory order: kernels take the elements in the same order on
both sides, vector blocks and remainders fall on the same elements, and so the bits are equal.
"""

from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.tensor import DTensor

_INTEGER_OF_NBYTES: Final = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def local(tensor: Tensor) -> Tensor:
    """Return this rank's part of ``tensor``, plain, without gradient, sharing its memory."""
    if isinstance(tensor, DTensor):
        # What `to_local` returns without gradients, at a tenth of its cost: it is asked for every
        # tensor in every step.
        tensor = tensor._local_tensor  # noqa: SLF001
    if isinstance(tensor, AsyncCollectiveTensor):
        # A collective: it ends by its group's own limit, `collective_s`.
        # ast-grep-ignore: bounded-wait
        tensor = tensor.wait()
    return tensor.detach()


def sharded_like(template: DTensor, *, shard: Tensor) -> DTensor:
    """Return ``shard`` as this rank's part of a tensor that is placed as ``template`` is."""
    return DTensor.from_local(
        shard,
        template.device_mesh,
        template.placements,
        run_check=False,
        shape=template.shape,
        stride=template.stride(),
    )


def memory_order(tensor: Tensor) -> tuple[int, ...] | None:
    """Return the dimensions of ``tensor``, slowest first; None where it has gaps or overlaps."""
    order = tuple(range(tensor.dim()))
    if tensor.is_contiguous():
        return order
    strides = tensor.stride()
    order = tuple(sorted(order, key=lambda dimension: -strides[dimension]))
    return order if tensor.permute(order).is_contiguous() else None


def in_memory_order(tensor: Tensor, order: Sequence[int]) -> Tensor:
    """Return ``tensor`` with its dimensions permuted into ``order``, sharing its memory."""
    if all(dimension == position for position, dimension in enumerate(order)):
        return tensor
    return tensor.permute(tuple(order))


def same_bits(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same dtype, shape and bits in every element.

    0.0 and -0.0 differ, and a NaN equals a NaN of the same bits.
    """
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return torch.equal(_as_integers(one), _as_integers(other))


def nbytes_range(tensor: Tensor) -> tuple[int, int]:
    """Return the first address of a dense tensor's memory and the one after its last."""
    start = tensor.data_ptr()
    return start, start + tensor.numel() * tensor.element_size()


def dtype_name(dtype: torch.dtype) -> str:
    """Return the name of ``dtype`` without its module, such as ``"float32"``."""
    return str(dtype).removeprefix("torch.")


def dtype_named(name: str) -> torch.dtype | None:
    """Return the dtype of that name, or None."""
    dtype = getattr(torch, name, None)
    return dtype if isinstance(dtype, torch.dtype) else None


def _as_integers(tensor: Tensor) -> Tensor:
    plain = tensor.detach().resolve_conj().resolve_neg()
    if plain.is_complex():
        plain = torch.view_as_real(plain)
    return plain.view(_INTEGER_OF_NBYTES[plain.element_size()])

"""Host memory into which a state is copied at a step boundary, laid out as it will be on the disk.

The layout is that of the safetensors format: a header that names each tensor's type, shape and
place, then the bytes of all tensors without a gap. One block of memory holds these bytes, so that
a capture is one copy per tensor and a write is one pass over the block. The `safetensors` package
reads the files; it does not write them, because its writer says why it failed in a text only
(a full disk and a missing permission look alike) and does not sync.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from hotswap.errors import UnsupportedTensor
from hotswap.transfer.buffers import DTYPES, byte_view, dtype_name
from hotswap.transfer.direct import BLOCK_NBYTES
from hotswap.transfer.manifest import SMALL_STATE

#: Names that the file format or this package keeps to itself.
RESERVED_NAMES: Final = frozenset({"__metadata__", SMALL_STATE})

_FILE_DTYPES: Final = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "int32": "I32",
    "uint64": "U64",
    "int64": "I64",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2": "F8_E5M2",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "float8_e8m0fnu": "F8_E8M0",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Place of one tensor in the block."""

    name: str
    # a name out of `hotswap.transfer.buffers.DTYPES`
    dtype: str
    shape: tuple[int, ...]
    # first byte, and the one after the last
    begin: int
    end: int


def plan_slots(tensors: Mapping[str, Tensor]) -> tuple[Slot, ...]:
    """Return where each tensor goes: widest elements first, so that every place is aligned.

    Raises `UnsupportedTensor` for a tensor that the file format cannot hold, or whose name is one
    of `RESERVED_NAMES`.
    """
    described = []
    for name, tensor in tensors.items():
        dtype = dtype_name(tensor, name=name)
        if dtype not in _FILE_DTYPES:
            raise UnsupportedTensor(name, f"has dtype {dtype}, which checkpoints cannot hold")
        if name in RESERVED_NAMES:
            raise UnsupportedTensor(name, "has a reserved name; rename it")
        described.append((-tensor.itemsize, name, dtype, tuple(tensor.shape), tensor.nbytes))
    slots, begin = [], 0
    for _, name, dtype, shape, nbytes in sorted(described):
        end = begin + nbytes
        slots.append(Slot(name=name, dtype=dtype, shape=shape, begin=begin, end=end))
        begin = end
    return tuple(slots)


def encode_file_header(slots: Sequence[Slot], *, small_state_nbytes: int) -> bytes:
    """Return what precedes the block in the file; the small state comes last, as unsigned bytes."""
    end = slots[-1].end if slots else 0
    entries = {
        slot.name: {
            "dtype": _FILE_DTYPES[slot.dtype],
            "shape": slot.shape,
            "data_offsets": (slot.begin, slot.end),
        }
        for slot in slots
    }
    entries[SMALL_STATE] = {
        "dtype": "U8",
        "shape": (small_state_nbytes,),
        "data_offsets": (end, end + small_state_nbytes),
    }
    text = json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode()
    # Padded with blanks, so that the block begins where it can be written directly.
    text += b" " * (-(len(text) + 8) % BLOCK_NBYTES)
    return len(text).to_bytes(8, "little") + text


class Staging:
    """A block of host memory that is used again for each capture of the same state.

    Not thread-safe: the caller must not copy into it while it is being written out.
    """

    def __init__(self) -> None:
        """Start without memory; the first capture takes it."""
        self.slots: tuple[Slot, ...] = ()
        self._block = torch.empty(0, dtype=torch.uint8)
        self._views: dict[str, Tensor] = {}

    def capture(self, tensors: Mapping[str, Tensor]) -> None:
        """Copy ``tensors``; when this returns they may change again.

        Memory is taken anew only when names, dtypes or shapes are not those of the last time.
        Raises `UnsupportedTensor` as `plan_slots` does, before anything is copied.
        """
        slots = plan_slots(tensors)
        if slots != self.slots:
            on_device = any(tensor.is_cuda for tensor in tensors.values())
            self._allocate(slots, pin=on_device)
        with torch.no_grad():
            for name, tensor in tensors.items():
                self._views[name].copy_(tensor, non_blocking=True)
        for device in {tensor.device for tensor in tensors.values() if tensor.is_cuda}:
            torch.cuda.current_stream(device).synchronize()

    def tensors(self) -> dict[str, Tensor]:
        """Return the copies, by name; they are views of the block."""
        return dict(self._views)

    def file_chunks(self, small_state: bytes) -> list[bytes | memoryview]:
        """Return the bytes of the file, the block among them uncopied."""
        header = encode_file_header(self.slots, small_state_nbytes=len(small_state))
        return [header, byte_view(self._block), small_state]

    def _allocate(self, slots: tuple[Slot, ...], *, pin: bool) -> None:
        # The old block goes first: two of them may not fit.
        self.slots, self._views, self._block = (), {}, torch.empty(0, dtype=torch.uint8)
        end = slots[-1].end if slots else 0
        memory = torch.empty(end + BLOCK_NBYTES, dtype=torch.uint8, pin_memory=pin)
        begin = -memory.data_ptr() % BLOCK_NBYTES
        self._block = memory[begin : begin + end]
        self._views = {
            slot.name: self._block[slot.begin : slot.end].view(DTYPES[slot.dtype]).view(slot.shape)
            for slot in slots
        }
        self.slots = slots

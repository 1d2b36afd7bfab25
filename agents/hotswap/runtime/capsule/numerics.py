"""What decides the bits of a result besides the operands: library, device, threads, dtype.

Measured on torch 2.13: vectorised kernels round some elements otherwise than the scalar code for
the remainder does (fused multiply-add, 16-bit intermediates), and where the remainder falls
depends on vector width and on how many threads share the work.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import torch

from hotswap.errors import NumericsDiffer
from hotswap.runtime.capsule.tensors import dtype_name


class Numerics(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The properties of the owner's process that its mirror must share."""

    torch_version: str
    # where the owner's optimizer computes: "cpu", or kind and model of the accelerator
    device: str
    # vector instructions that torch uses on this processor, such as ``AVX2``
    cpu_capability: str
    # dtype in which optimizers create scalar state
    default_dtype: str
    # whether the processor rounds the smallest numbers to zero (``torch.set_flush_denormal``)
    flush_denormal: bool


def numerics_of(device: torch.device) -> Numerics:
    """Return the properties of this process, when it computes on ``device``."""
    name = device.type
    if device.type == "cuda":
        name = f"cuda {torch.cuda.get_device_name(device)}"
    return Numerics(
        torch_version=str(torch.__version__),
        device=name,
        cpu_capability=torch.backends.cpu.get_cpu_capability(),
        default_dtype=dtype_name(torch.get_default_dtype()),
        # it can be set but not asked: half of the smallest normal number is zero, or not
        flush_denormal=torch.tensor(torch.finfo(torch.float32).tiny).mul(0.5).item() == 0,
    )


def replay_device(owner: Numerics) -> torch.device:
    """Return the device on which this process computes the bits that the owner's does.

    Host memory for an owner there; else an accelerator of the owner's kind, because none rounds
    as the processor does.

    Raises `NumericsDiffer` when this process cannot compute the same bits.
    """
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    device = torch.device("cpu")
    if accelerator is not None and accelerator.type == owner.device.partition(" ")[0]:
        device = accelerator
    here = numerics_of(device)
    if owner == here:
        return device
    differing = ", ".join(
        f"{field} is {getattr(owner, field)} at the owner and {getattr(here, field)} here"
        for field in Numerics.__struct_fields__
        if getattr(owner, field) != getattr(here, field)
    )
    message = (
        f"{differing}: a mirror would not hold the same bits. Run the same torch on the same kind "
        "of device everywhere, set ATEN_CPU_CAPABILITY to what the oldest processor has (default, "
        "avx2, ...) in every process, and set default dtype and flush_denormal before "
        "hotswap.join()"
    )
    raise NumericsDiffer(message)


@contextmanager
def intra_op_threads(threads: int) -> Iterator[None]:
    """Compute with as many intra-op threads as the owner does, within the block."""
    before = torch.get_num_threads()
    if threads == before:
        yield
        return
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)

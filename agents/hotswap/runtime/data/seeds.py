"""Random numbers as a function of (seed, step, rank, micro-batch): never of the node or the clock.

A step that is repeated, on the same node or on another one, draws the same numbers: dropout,
augmentation and order of the data come out the same, bit for bit.
"""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, Final

import torch

#: Keeps these seeds apart from any other use of the same hash function.
_PERSON: Final = b"hotswap-seed"

_SEED_BYTES: Final = 8


def derive_seed(
    *, seed: int, step: int, rank: int, micro_batch: int = 0, stream: str = "step"
) -> int:
    """Derive the seed of one purpose in one micro-batch of one rank's step.

    Args:
        seed: the job's seed; any integer.
        step: index of the step.
        rank: rank that draws.
        micro_batch: index of the micro-batch in the step.
        stream: purpose of the numbers; two streams are independent of each other.

    Returns:
        64 bits, unsigned: what ``torch.manual_seed`` takes.
    """
    # decimal numbers hold no colon, and the free text comes last: no two inputs share a text
    text = f"{seed}:{step}:{rank}:{micro_batch}:{stream}".encode()
    digest = blake2b(text, digest_size=_SEED_BYTES, person=_PERSON).digest()
    return int.from_bytes(digest, "big")


def seed_process(seed_value: int) -> None:
    """Seed every global generator: torch on each device, ``random``, and numpy if imported.

    Args:
        seed_value: 64 bits, unsigned, as :func:`derive_seed` gives them.
    """
    if torch.accelerator.is_available():
        torch.manual_seed(seed_value)
    else:
        # on a machine without accelerators torch.manual_seed spends 0.4 ms in looking for them
        torch.default_generator.manual_seed(seed_value)
    _seed_python(seed_value)


@contextmanager
def host_generators(seed_value: int) -> Iterator[None]:
    """Seed the host's global generators for a while, then put them back as they were.

    Reading a sample in the training process must not move the generators of the training step,
    since reading it in a worker process does not move them either. Generators of accelerators
    are left alone: samples are read on the host.

    Args:
        seed_value: 64 bits, unsigned, as :func:`derive_seed` gives them.
    """
    torch_state = torch.get_rng_state()
    python_state = random.getstate()
    numpy: Any = sys.modules.get("numpy")
    numpy_state = None if numpy is None else numpy.random.get_state()
    try:
        torch.default_generator.manual_seed(seed_value)
        _seed_python(seed_value)
        yield
    finally:
        torch.set_rng_state(torch_state)
        random.setstate(python_state)
        if numpy is not None:
            numpy.random.set_state(numpy_state)


def _seed_python(seed_value: int) -> None:
    """Seed ``random``, and numpy's global generator if numpy is in use at all."""
    random.seed(seed_value)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        # the legacy generator takes words of 32 bits
        numpy.random.seed([seed_value >> 32, seed_value & 0xFFFFFFFF])

"""What travels on a mirror link: an owner's state and gradients one way, receipts the other.

One TCP connection per (owner, mirror), opened by the owner, in this order::

    owner                                       mirror
    describe   optimizer, units, small state ->
    units      units at one version, in slices ->  <- receipt (complete once all units are there)
    gradients  of step k                       ->  <- receipt: held, bytes verified
    commit     step k: apply what is held      ->
    digests    of the state at a version       ->  <- receipt: names that differ
    handover   the mirror's process owns the rank in the next epoch ->

Each is a bundle (see ``hotswap.transfer.bundle``) whose ``step`` is the version that it starts
from, and whose ``meta`` is one of the structs below.
"""

from typing import Final

import msgspec

from hotswap.runtime.capsule.hyperparameters import Hyperparameters
from hotswap.runtime.capsule.optimizers import OptimizerSpec
from hotswap.runtime.capsule.units import UnitSpec

DESCRIBE = "describe"
UNITS = "units"
GRADIENTS = "gradients"
COMMIT = "commit"
DIGESTS = "digests"
HANDOVER = "handover"
RECEIPT = "receipt"

#: Purpose named in the handshake of a mirror link.
PURPOSE: Final = "mirror"


class Describe(msgspec.Struct, frozen=True, kw_only=True):
    """What will be mirrored; the segments are the buffers and the small state's tensors."""

    # member that sends
    owner: str
    optimizer: OptimizerSpec
    # every unit as it is now, in the optimizer's order
    units: tuple[UnitSpec, ...]
    # blob of the small state at the version of the bundle
    small: bytes


class Units(msgspec.Struct, frozen=True, kw_only=True):
    """Units copied at the version of the bundle; the segments are their tensors."""

    units: tuple[UnitSpec, ...]


class Gradients(msgspec.Struct, frozen=True, kw_only=True):
    """Reduced local gradients of a step; segments as ``gradient_name`` and ``buffer_name`` say."""

    hyperparameters: Hyperparameters
    # the owner's votes wait for this mirror: from now on it protects the rank
    awaited: bool
    # the optimizer is not to step: gradients overflowed on some rank, and all have agreed
    skip: bool
    # units that have no gradient in this step
    absent: tuple[str, ...] = ()
    # what the owner reports of the step once it is committed; the mirror does if it can't
    loss: float | None = None
    values: dict[str, float] = {}


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """Step ``step`` counts; the segments are tensors of the small state after it."""

    small: bytes


class Digests(msgspec.Struct, frozen=True, kw_only=True):
    """Digests of the owner's state at the version of the bundle."""

    digests: dict[str, str]
    # planned swap that asks; "" for the regular comparison
    swap: str = ""


class Handover(msgspec.Struct, frozen=True, kw_only=True):
    """The mirror's process owns the rank from the version of the bundle on."""

    next_epoch: int


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of the mirror."""

    # kind of the bundle that is answered
    of: str
    # every unit is present, at one version
    complete: bool
    # tensors that arrived damaged, or that differ
    tensors: tuple[str, ...] = ()


Meta = Describe | Units | Gradients | Commit | Digests | Handover | Receipt


def gradient_name(unit: str) -> str:
    """Return the segment's name of a unit's gradient."""
    return f"gradient:{unit}"


def buffer_name(buffer: str) -> str:
    """Return the segment's name of a buffer."""
    return f"buffer:{buffer}"


def small_name(position: int) -> str:
    """Return the segment's name of a tensor of the small state."""
    return f"small:{position}"

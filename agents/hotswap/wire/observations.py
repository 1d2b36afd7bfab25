"""What a member has seen of states and steps; see `hotswap.wire.messages`."""

from typing import Literal

import msgspec

from hotswap.wire.values import Holding, Message


class MirrorReport(Message, frozen=True, kw_only=True):
    """A mirror's progress; sent when it becomes complete and every few steps."""

    holding: Holding
    bytes_received: int = 0
    lag_steps: int = 0


class Verified(Message, frozen=True, kw_only=True):
    """Root digest of a rank's state at ``step``, from its owner or its mirror."""

    swap: str
    rank: int
    step: int
    kind: Literal["owner", "mirror"]
    digest: str
    # names of the tensors whose digest differs, where the sender compared
    mismatched: tuple[str, ...] = ()


class CorruptionFound(Message, frozen=True, kw_only=True):
    """Owner and mirror differ, or bytes changed in flight or at rest."""

    rank: int
    step: int
    tensors: tuple[str, ...]
    where: Literal["mirror", "copy", "gradient", "checkpoint"]


class ProtectionLost(Message, frozen=True, kw_only=True):
    """The owner of ``rank`` no longer waits for the mirror ``mirror``."""

    rank: int
    mirror: str
    reason: str


class Committed(Message, frozen=True, kw_only=True):
    """Step ``step`` was applied; sent by every owner, with what it reports of the step."""

    epoch: int
    rank: int
    step: int
    loss: float | None = None
    # wall time of the step on this rank, s; None where it was not measured
    step_s: float | None = None
    # samples this rank consumed in the step
    samples: int = 0
    # further values the script reported, e.g. validation_loss
    values: dict[str, float] = msgspec.field(default_factory=dict)
    # names of mirrors that acknowledged this step's gradients
    protected_by: tuple[str, ...] = ()

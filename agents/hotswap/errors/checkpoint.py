"""Errors about micro-checkpoints."""

from hotswap.errors.base import HotswapError, NamesTensors


class CheckpointError(HotswapError):
    """Something about a micro-checkpoint."""


class CheckpointFailed(CheckpointError):
    """A checkpoint could not be written; older ones are intact."""


class CheckpointOutdated(CheckpointError):
    """The directory holds this checkpoint already, or one of a later epoch."""


class CheckpointMissing(CheckpointError):
    """There is no such checkpoint."""


class CheckpointDamaged(NamesTensors, CheckpointError):
    """A file of a checkpoint is not as it was written; ``tensors`` names what is damaged."""

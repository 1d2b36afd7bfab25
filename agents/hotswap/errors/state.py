"""Errors about the training state of a rank."""

from hotswap.errors.base import HotswapError, NamesTensors


class StateError(HotswapError):
    """Something about the training state of a rank."""


class NotProtectable(StateError):
    """Model, optimizer or other state is of a kind that a mirror cannot replay."""


class ProtectedChanged(StateError):
    """Parameters, groups or hooks are no longer those that were protected."""


class StateNotEncodable(StateError):
    """A value of the small state is neither plain nor a tensor; ``path`` says which."""

    def __init__(self, path: str, problem: str) -> None:
        """Name the value and what to do about it."""
        super().__init__(f"{path} {problem}")
        self.path = path


class StateMalformed(StateError):
    """The bytes are not a small state."""


class StateMismatch(NamesTensors, StateError):
    """A state does not fit model and optimizer in ``tensors``; nothing of it was loaded."""


class NumericsDiffer(StateError):
    """This process would not compute the bits that the owner computes."""


class ReplayGap(StateError):
    """Gradients of a step that the mirror needs never came."""

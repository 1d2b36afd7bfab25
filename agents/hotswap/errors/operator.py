"""Errors about commands to a running job."""

from hotswap.errors.base import HotswapError


class OperatorError(HotswapError):
    """A command to a running job was not carried out."""


class CoordinatorUnreachable(OperatorError):
    """No coordinator of the job answered within the named limit."""


class RequestRefused(OperatorError):
    """The coordinator refused; ``refusal`` is its stable code."""

    def __init__(self, message: str, *, refusal: str) -> None:
        """Keep the coordinator's code beside the text."""
        super().__init__(message)
        self.refusal = refusal


class SwapNotCompleted(OperatorError):
    """The swap was given up, or did not end within the named limit."""

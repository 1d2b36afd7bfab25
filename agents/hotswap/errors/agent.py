"""Errors about a node's agent and the control plane."""

from hotswap.errors.base import HotswapError


class AgentError(HotswapError):
    """Something about a node's agent and the control plane."""


class PlaneMessageMalformed(AgentError):
    """What came from the other side is not what agent and plane agreed on."""


class EnrolmentRefused(AgentError):
    """The plane gives this node no certificate."""


class PlaneUnreachable(AgentError):
    """The plane does not answer, or not as the plane would."""


class AgentStateUnusable(AgentError):
    """The agent's state directory cannot be used by this agent."""


class ScenarioMalformed(AgentError):
    """The file that simulates signals cannot be read."""


class CommandRefused(AgentError):
    """The agent does not carry out a command; ``refusal`` is its stable code."""

    def __init__(self, message: str, *, refusal: str) -> None:
        """Keep the code beside the text."""
        super().__init__(message)
        self.refusal = refusal

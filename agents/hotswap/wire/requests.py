"""What launcher and operator say; see `hotswap.wire.messages`."""

from hotswap.wire.values import Message


class ProcessExited(Message, frozen=True, kw_only=True):
    """The supervisor has reaped the process of ``name``: it is certainly gone."""

    name: str
    # exit status, negative for a signal
    status: int


class SwapRequest(Message, frozen=True, kw_only=True):
    """Ask for a planned swap of ``rank``."""

    request: str
    rank: int
    # the standby to use; None lets the coordinator choose
    target: str | None = None
    reason: str = ""


class AbortRequest(Message, frozen=True, kw_only=True):
    """Ask that a swap be given up; possible until its epoch is in force."""

    swap: str


class PrepareRequest(Message, frozen=True, kw_only=True):
    """Tell which rank's model the standby builds in advance: the likeliest to fail."""

    rank: int
    member: str | None = None


class StatusRequest(Message, frozen=True, kw_only=True):
    """Ask for one Status."""

"""Errors about this process's part in a running job."""

from hotswap.errors.base import HotswapError


class MemberError(HotswapError):
    """This process can't go on as it is in its job."""


class EpochLost(MemberError):
    """A collective can't complete: its epoch is lost. `with step:` catches this."""


class CollectiveUnsupported(MemberError):
    """The script calls a collective that can't be carried across a swap."""

    def __init__(self, collective: str, reason: str) -> None:
        """Name the collective and why it is refused."""
        super().__init__(f'{collective} is not carried by backend="hotswap": {reason}')
        self.collective = collective


class AbandonTimedOut(MemberError):
    """A collective of a lost epoch did not end in time."""

    def __init__(self, epoch: int, timeout_s: float) -> None:
        """Name the epoch and the limit, ``abandon_s``."""
        super().__init__(
            f"a collective of epoch {epoch} did not end within abandon_s = {timeout_s} s; "
            "this process leaves its rank, since its tensors could still be written to"
        )
        self.epoch = epoch


class FencedOff(MemberError):
    """This process was declared lost, or its epoch is over; it must not act."""


class StepMisused(MemberError):
    """The training loop calls the step's methods in an order that can't be committed."""


class StateUnreachable(MemberError):
    """The job is at a state that this process neither holds nor can compute."""


class IncompatibleStandby(MemberError):
    """A standby with another version of torch could not continue the same arithmetic."""

    def __init__(self, *, expected: str, received: str) -> None:
        """Take the job's version of torch and the standby's."""
        super().__init__(
            f"this job runs torch {expected}, the standby torch {received}: install "
            f"torch=={expected} on the standby"
        )
        self.expected = expected
        self.received = received

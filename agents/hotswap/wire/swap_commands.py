"""What a leader says for a planned swap; see `hotswap.wire.messages`."""

from hotswap.wire.values import Endpoint, Message, Seat


class Prepare(Message, frozen=True, kw_only=True):
    """Build the model of ``rank`` in advance."""

    token: int
    rank: int


class BindNext(Message, frozen=True, kw_only=True):
    """Connect the groups of ``epoch`` in the background; the old ones stay in use."""

    token: int
    swap: str
    epoch: int
    roster: tuple[Seat, ...]
    store: Endpoint


class Verify(Message, frozen=True, kw_only=True):
    """Owner and mirror of ``rank``: digest the state at the first boundary from ``at_step`` on."""

    token: int
    swap: str
    rank: int
    at_step: int


class Arm(Message, frozen=True, kw_only=True):
    """From now on vote for ``epoch``: it takes force at the first unanimous boundary."""

    token: int
    swap: str
    epoch: int
    rank: int
    target: str


class Disarm(Message, frozen=True, kw_only=True):
    """Swap ``swap`` is given up: vote for the current epoch only, drop the groups of ``epoch``."""

    token: int
    swap: str
    epoch: int
    reason: str


class TakeOver(Message, frozen=True, kw_only=True):
    """Epoch ``epoch`` is in force after ``committed`` steps: the newcomer owns ``rank``."""

    token: int
    epoch: int
    rank: int
    committed: int

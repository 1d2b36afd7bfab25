"""Account of one change of a rank's owner, for its certificate."""

from typing import Literal

import msgspec


class PhaseTime(msgspec.Struct, frozen=True, kw_only=True):
    """When a phase of a swap began, and how long it took; None: nobody measured it."""

    # the coordinator's clock, s
    started_s: float | None
    duration_s: float | None


class SwapRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A rank changed hands. What is not known is None."""

    id: str
    kind: Literal["planned", "unplanned"]
    rank: int
    from_member: str
    to_member: str
    epoch_before: int
    epoch_after: int
    # steps applied by the old owner, which is the step that the new one begins with
    step: int | None
    # root digest of the rank's state as the old owner left it, and as the new one took it over
    digest_before: str | None
    digest_after: str | None
    # names of tensors that differed when owner and mirror were compared; None: never compared
    mismatched: tuple[str, ...] | None
    # planned: copy, prepare, verify, bind, armed, pause; unplanned: detect, unwind, bind, stall
    phases: dict[str, PhaseTime]
    leader: str
    token: int
    # why: who asked for it, or what was lost
    cause: str
    # committed steps that were lost by going back to a checkpoint; None: can't be told
    steps_lost: int | None

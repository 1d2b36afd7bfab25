"""Where a planned swap stands."""

import copy
from enum import StrEnum

import msgspec

from hotswap.wire.messages import Seat


class SwapPhase(StrEnum):
    """Phase of a planned swap. Up to and with ARMED it can be given up."""

    # the target copies the rank's state
    COPYING = "copying"
    # the target builds the rank's model
    PREPARING = "preparing"
    # owner and mirror compare digests of the same step
    VERIFYING = "verifying"
    # the groups of the next epoch are connected beside those in use
    BINDING = "binding"
    # the owners vote for the next epoch: it takes force at the first unanimous boundary
    ARMED = "armed"
    # given up, but an open vote may still put it in force
    DISARMING = "disarming"
    # the rank has changed hands; the former owner keeps its state until a step was committed
    IN_FORCE = "in_force"


#: Nobody votes for the swap yet: giving it up needs nobody's answer.
UNARMED = (SwapPhase.COPYING, SwapPhase.PREPARING, SwapPhase.VERIFYING, SwapPhase.BINDING)
#: Owners may vote for it.
VOTED = (SwapPhase.ARMED, SwapPhase.DISARMING)


class PlannedSwap(msgspec.Struct, kw_only=True):
    """One planned swap."""

    id: str
    request: str
    rank: int
    # owner that hands over, and standby that takes over
    origin: str
    target: str
    reason: str
    phase: SwapPhase
    # coordinator's clock at the beginning of each phase, by phase; a phase under another leader
    # is missing
    began_s: dict[SwapPhase, float] = {}
    # epoch that it leads out of, epoch in which the target owns the rank, and the latter's roster;
    # 0 before one was given
    former_epoch: int = 0
    next_epoch: int = 0
    seats: tuple[Seat, ...] = ()
    # first step that was asked to be digested
    verify_step: int = 0
    # latest digests by step, of the owner and of its mirror on the target
    owner_digests: dict[int, str] = {}
    mirror_digests: dict[int, str] = {}
    # names that differed; None: not compared
    mismatched: tuple[str, ...] | None = None
    # members whose groups are not connected yet
    unbound: dict[str, None] = {}
    # root digests of the state at the switch: as it was handed over, and as it was taken over
    digest_before: str | None = None
    digest_after: str | None = None
    # why it is given up
    abort_reason: str = ""
    # steps committed when it took force
    step: int | None = None
    # end of the last vote and first work of the new epoch, by member, each on the member's clock
    vote_ended_s: dict[str, float] = {}
    resumed_s: dict[str, float] = {}
    # a step was committed in the new epoch: the former owner has been released
    released: bool = False

    def clone(self) -> "PlannedSwap":
        """Return an independent copy."""
        twin = copy.copy(self)
        twin.began_s = self.began_s.copy()
        twin.owner_digests = self.owner_digests.copy()
        twin.mirror_digests = self.mirror_digests.copy()
        twin.unbound = self.unbound.copy()
        twin.vote_ended_s = self.vote_ended_s.copy()
        twin.resumed_s = self.resumed_s.copy()
        return twin

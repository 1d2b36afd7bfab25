"""What the services of this app raise.

::

    NotFound
    └── SwapUnknown           there is none, or you may not see it
    Conflict
    ├── SwapOpen              `swap` is the one that is open for this rank
    ├── SwapMoved             somebody else was quicker: look again
    ├── BrakeEngaged          `engaged_by` and `reason` say who stopped new swaps, and why
    ├── RankHeld              the same failure again and again: release the hold first
    └── RankNotKnown          nobody has said yet who owns the rank
    Invalid
    └── SwapRefused           `fields` says what to mend
"""

from apps.core.errors import Conflict, Invalid, NotFound


class SwapUnknown(NotFound):
    """There is no such swap, or you may not see it."""


class SwapOpen(Conflict):
    """A swap of this rank is open already."""


class SwapMoved(Conflict):
    """The swap's state has become another one meanwhile."""


class BrakeEngaged(Conflict):
    """The brake is on: no new planned swap begins."""


class RankHeld(Conflict):
    """Swaps of this rank have failed again and again with the same cause."""


class RankNotKnown(Conflict):
    """Nobody has said yet who owns this rank."""


class SwapRefused(Invalid):
    """The swap can't be proposed like that."""

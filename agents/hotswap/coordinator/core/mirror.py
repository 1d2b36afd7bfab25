"""What a mirror may do with the bundles that come for one rank. Pure.

A mirror is always at some *version*, the number of steps applied to its copy, and may hold the
gradients of the next step as *pending*. It applies them when their owner says that the step was
committed, or, when the owner is gone, when the coordinator says so.

Nothing of a dead epoch changes a copy. Once its process was told that an epoch is dead, and has
reported what it holds, a bundle of that epoch or of an older one is refused: the report would not
be true any more, and the coordinator decides from the report.
"""

import copy
from enum import Enum

import msgspec

from hotswap.wire.messages import Holding


class Verdict(Enum):
    """What to do with a bundle."""

    # hold the gradients, or apply those that are held
    TAKE = "take"
    # it is of a dead epoch, or says what is known already: do nothing
    IGNORE = "ignore"
    # something before it is missing: the copy is worthless until it is made anew
    GAP = "gap"


class MirrorCore(msgspec.Struct, kw_only=True):
    """The copy of one rank. The tensors are elsewhere; each call says what to do with them."""

    rank: int
    # steps applied to the copy; None before anything was copied
    version: int | None = None
    # whether the gradients of step ``version`` are held
    pending: bool = False
    # every unit of the state is present at ``version``
    complete: bool = False
    # no digest has ever disagreed
    intact: bool = True
    # epoch in which the copying began
    since_epoch: int = 0
    # highest epoch of which a bundle was accepted
    epoch: int = 0
    # highest epoch that is dead
    dead_epoch: int = 0

    def seal(self, epoch: int) -> None:
        """Refuse every bundle of ``epoch`` and of older ones from now on."""
        self.dead_epoch = max(self.dead_epoch, epoch)

    def admits(self, epoch: int) -> bool:
        """Whether a bundle of ``epoch`` may be received at all, or is a former owner's.

        What is pending must not be overwritten by a bundle that is refused.
        """
        return epoch > self.dead_epoch and epoch >= self.epoch

    def describe(self, *, epoch: int, version: int) -> Verdict:
        """Begin a new copy of the rank as it was after ``version`` steps."""
        if not self._accept(epoch):
            return Verdict.IGNORE
        self.version = version
        self.pending = False
        self.complete = False
        self.intact = True
        self.since_epoch = epoch
        return Verdict.TAKE

    def copied(self, *, epoch: int, complete: bool) -> Verdict:
        """Note that units were copied; ``complete`` once all are present at the same version."""
        if not self._accept(epoch):
            return Verdict.IGNORE
        if self.version is None:
            return Verdict.GAP
        self.complete = complete
        return Verdict.TAKE

    def gradients(self, *, epoch: int, step: int) -> Verdict:
        """Hold the gradients of ``step``, in place of those that a dead epoch has left."""
        if not self._accept(epoch):
            return Verdict.IGNORE
        if self.version is None or step > self.version:
            return self._gap()
        if step < self.version:
            return Verdict.IGNORE
        self.pending = True
        return Verdict.TAKE

    def commit(self, *, epoch: int, step: int) -> Verdict:
        """Apply the gradients of ``step``, which are held."""
        if not self._accept(epoch):
            return Verdict.IGNORE
        if self.version is None or step > self.version:
            return self._gap()
        if step < self.version:
            return Verdict.IGNORE
        if not self.pending:
            return self._gap()
        self.version += 1
        self.pending = False
        return Verdict.TAKE

    def differs(self) -> None:
        """Note that owner and mirror hold different bits: never to be used until copied anew."""
        self.intact = False

    def reaches(self, target: int) -> bool:
        """Whether the copy is, or can be brought, at ``target`` steps."""
        one_behind = self.version == target - 1 and self.pending
        return self.complete and self.intact and (self.version == target or one_behind)

    def holding(self) -> Holding | None:
        """Return what the coordinator has to know; None before anything was copied."""
        if self.version is None:
            return None
        return Holding(
            rank=self.rank,
            version=self.version,
            pending=self.pending,
            kind="mirror",
            complete=self.complete,
            intact=self.intact,
            since_epoch=self.since_epoch,
        )

    def clone(self) -> "MirrorCore":
        """Return an independent copy of this core."""
        return copy.copy(self)

    def fingerprint(self) -> tuple[object, ...]:
        """Return everything that decides what this core will do."""
        return (
            self.rank,
            self.version,
            self.pending,
            self.complete,
            self.intact,
            self.since_epoch,
            self.epoch,
            self.dead_epoch,
        )

    def _accept(self, epoch: int) -> bool:
        """Fence: note the epoch of a bundle that is admitted."""
        if not self.admits(epoch):
            return False
        self.epoch = epoch
        return True

    def _gap(self) -> Verdict:
        self.complete = False
        return Verdict.GAP

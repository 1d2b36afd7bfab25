"""How a member leaves an epoch, enters the next one, and takes a rank over. Pure."""

from hotswap.coordinator.core import member_effects as effects
from hotswap.coordinator.core.member_effects import MemberEffect, Send
from hotswap.coordinator.core.member_step import Effects, StepCore
from hotswap.coordinator.core.member_values import MemberPhase
from hotswap.errors import FencedOff, StateUnreachable
from hotswap.wire import messages
from hotswap.wire.messages import Seat


class EpochCore(StepCore):
    """What a member does when an epoch ends or begins."""

    # ------------------------------------------------------------------------------ it begins

    def _start(self, start: messages.Start) -> Effects:
        """Bring the state to where the epoch begins, and connect its groups."""
        if start.epoch <= self.dead_epoch or (self.running and start.epoch <= self.epoch):
            return []
        left = self._end(start.epoch - 1) if self.running else []
        seat = self._seat(start.roster)
        if seat is None:
            return [*left, *self._left_out(start)]
        if self.rank not in (None, seat.rank):
            return [*left, *self._unreachable(f"it owns rank {self.rank}, not {seat.rank}")]
        if start.restore_step is not None:
            reached = self._restore(rank=seat.rank, epoch=start.epoch, step=start.restore_step)
        elif self.rank is None:
            swap = start.takeovers.get(seat.rank, "")
            reached = self._take_over(rank=seat.rank, target=start.committed, swap=swap)
        else:
            reached = self._go_on(start.committed, epoch=start.epoch)
        if self.phase is MemberPhase.GONE:
            return [*left, *reached]
        dropped = self._drop_next(through=start.epoch)
        return [*left, *dropped, *reached, self._enter(start, seat.rank)]

    def _enter(self, start: messages.Start, rank: int) -> MemberEffect:
        self.phase = MemberPhase.RUNNING
        self.epoch = start.epoch
        self._armed = self._disarm = None
        return effects.Bind(
            epoch=start.epoch,
            rank=rank,
            roster=start.roster,
            store=start.store,
            background=False,
        )

    def _seat(self, roster: tuple[Seat, ...]) -> Seat | None:
        """Return this member's line of ``roster``, if it has one."""
        return next((seat for seat in roster if seat.member == self.name), None)

    def _left_out(self, start: messages.Start) -> Effects:
        """A standby goes on as one; whoever owned a rank has lost it."""
        if self.phase is MemberPhase.STANDBY:
            return self._drop_next(through=start.epoch)
        reason = f"rank {self.rank} belongs to another process in epoch {start.epoch}"
        return self._leave(ok=False, code=FencedOff.code, reason=reason)

    def _go_on(self, target: int, *, epoch: int) -> Effects:
        """Roll forward if another rank has applied the step that is held, else compute it again."""
        step = self.committed
        if self._restoring or target not in (step, step + 1 if self.holds else step):
            held = "held" if self.holds else "not held"
            return self._unreachable(
                f"epoch {epoch} begins after {target} steps, {step} are applied here and the "
                f"gradients of the next are {held}"
            )
        retired = self.phase is MemberPhase.RETIRED
        assert self.rank is not None, "a rank is owned here, or was"
        back: Effects = [effects.Reinstate(rank=self.rank)] if retired else []
        self.holds = False
        if target == step:
            return [*back, effects.Discard(step=step)]
        self.committed = target
        return [
            *back,
            effects.RollForward(step=step),
            effects.CommitMirrors(epoch=epoch, step=step),
        ]

    def _restore(self, *, rank: int, epoch: int, step: int) -> Effects:
        newcomer = self.rank is None
        self.mirrors.pop(rank, None)
        self.rank = rank
        self.prepared_rank = None
        self.committed = step
        self.holds = False
        self.since_epoch = epoch
        self._restoring = True
        return [effects.Restore(rank=rank, step=step, newcomer=newcomer)]

    # ------------------------------------------------------------------------ a rank is taken

    def _take_over_next(self, *, rank: int, epoch: int, version: int) -> Effects:
        """Own ``rank`` in the epoch of a planned swap, whose groups are connected already."""
        if self.phase is not MemberPhase.STANDBY or epoch <= self.dead_epoch:
            return []
        groups = self._next
        if groups is None or groups.epoch != epoch or not groups.bound:
            detail = f"{self.name} is to own rank {rank}, and its groups are not connected"
            return [Send(message=messages.PeerLost(epoch=epoch, detail=detail))]
        reached = self._take_over(rank=rank, target=version, swap=groups.swap)
        if self.rank is None:
            return reached
        self.phase = MemberPhase.RUNNING
        self.epoch = epoch
        self._armed = self._disarm = self._next = None
        return [*reached, effects.Switch(epoch=epoch)]

    def _take_over(self, *, rank: int, target: int, swap: str) -> Effects:
        """Own ``rank`` from the copy that is mirrored here, brought to ``target`` steps."""
        mirror = self.mirrors.get(rank)
        if mirror is not None and mirror.reaches(target):
            apply_pending = mirror.version != target
            self.since_epoch = mirror.since_epoch
        elif target == 0:
            # Nothing was committed: what the script builds for the rank is its state.
            mirror, apply_pending = None, False
        else:
            return self._unreachable(f"its copy of rank {rank} can't be brought to step {target}")
        self.mirrors.pop(rank, None)
        self.rank = rank
        self.prepared_rank = None
        self.committed = target
        self.holds = False
        owned = effects.BecomeOwner(
            rank=rank,
            version=target,
            apply_pending=apply_pending,
            fresh=mirror is None,
            swap=swap,
        )
        return [owned]

    def _unreachable(self, detail: str) -> Effects:
        """Never go on from another state than the one that the others go on from."""
        return self._leave(ok=False, code=StateUnreachable.code, reason=f"{self.name}: {detail}")

    # -------------------------------------------------------------------------------- it ends

    def _epoch_dead(self, epoch: int) -> Effects:
        """Leave every epoch up to ``epoch`` and report; a second time, report again."""
        if epoch < self.dead_epoch or (self.running and epoch < self.epoch):
            return []
        ended = [] if epoch == self.dead_epoch else self._end(epoch)
        report = messages.Unwound(epoch=epoch, holdings=self.holdings(), last_epoch=self.epoch)
        return [*ended, Send(message=report)]

    def _end(self, epoch: int) -> Effects:
        """Leave every epoch up to ``epoch``."""
        self.dead_epoch = max(self.dead_epoch, epoch)
        for mirror in self.mirrors.values():
            mirror.seal(epoch)
        if self.running:
            self.phase = MemberPhase.UNWOUND
        self._acknowledged_by = frozenset()
        self._ballot = self._armed = self._disarm = self._switch_voted_s = None
        return [*self._drop_next(through=epoch), effects.Abandon(epoch=epoch)]

    def _fenced(self, reason: str) -> Effects:
        """Another process owns the rank, or will: nothing of this one may count any more."""
        return [
            *self._end(max(self.epoch, self.dead_epoch)),
            *self._leave(ok=False, code=FencedOff.code, reason=reason),
        ]

    def _leave(self, *, ok: bool, code: str, reason: str) -> Effects:
        self.phase = MemberPhase.GONE
        return [effects.Leave(ok=ok, code=code, reason=reason)]

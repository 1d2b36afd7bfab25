"""One member's part in the protocol. Pure: its runtime drives it under a lock.

The runtime calls a method when something has happened and carries out the effects that come back,
in their order. What the core has said counts as done: a step that `on_vote` has applied is in every
report from then on, even if the optimizer still runs.

A step ``k = committed`` in epoch ``e``, on each owner::

    forward, backward         nothing durable changes
    gradients to the mirrors  those that hold the whole state; wait for their receipts
    gradients_acknowledged()  from here on this rank can apply k whatever happens to others
    ballot()                  goes into an all-reduce MIN over a control group of e
    on_vote()                 Apply, CommitMirrors; or the epoch dies and nothing is returned
    at_boundary()             a planned swap takes force here, or not at all

What holds here, and why it is enough:

* A ballot is ready only for gradients that are held, here and at the mirrors. So if any rank has
  applied k, every rank can: after a loss the job rolls forward and never back.
* A step is applied only after a unanimous vote, in the epoch of the vote, while that is alive.
* The next epoch's number rides in the same MIN: a switch happens at one step everywhere.
* Once an epoch is dead here, nothing of it changes this member or what it mirrors any more.
* A command of a leader is ignored once a later leader was heard.
"""

from dataclasses import replace

from hotswap.coordinator.core import member_effects as effects
from hotswap.coordinator.core.member_effects import Send
from hotswap.coordinator.core.member_epochs import EpochCore
from hotswap.coordinator.core.member_step import Effects
from hotswap.coordinator.core.member_values import Armed, MemberPhase, NextGroups
from hotswap.coordinator.core.mirror import MirrorCore
from hotswap.errors import FencedOff
from hotswap.wire import messages


class MemberCore(EpochCore):
    """The protocol of one member; see the module for the order of calls. Not thread-safe.

    Beside the calls of a step (see `StepCore`) the runtime calls ``on_command`` for each message
    of the coordinator, ``on_handover`` for each Handover on a mirror link, and the methods that
    say how an effect has ended: ``bound``, ``resumed``, ``prepared``, ``restored``,
    ``restore_failed``, ``peer_lost``. They return effects too.
    """

    # ------------------------------------------------------------------------ what it is told

    def on_command(self, message: messages.FromCoordinator) -> Effects:
        """Obey the coordinator, unless a later leader was heard or the command is out of date."""
        token = getattr(message, "token", self.token)
        if token < self.token or self.phase is MemberPhase.GONE:
            return []
        self.token = token
        done: Effects = []
        match message:
            case messages.Start():
                done = self._start(message)
            case messages.EpochDead():
                done = self._epoch_dead(message.epoch)
            case messages.TakeOver(rank=rank, epoch=epoch, committed=version):
                done = self._take_over_next(rank=rank, epoch=epoch, version=version)
            case messages.Release() if self.phase is MemberPhase.RETIRED:
                done = self._leave(ok=True, code="released", reason="the rank has changed hands")
            case messages.Shutdown(ok=ok, reason=reason):
                done = self._leave(ok=ok, code="job_over" if ok else "job_failed", reason=reason)
            case messages.Refused(code=FencedOff.code, detail=reason):
                done = self._fenced(reason)
            case _:
                done = self._prepare_swap(message)
        return done

    def on_handover(self, *, rank: int, epoch: int, version: int) -> Effects:
        """Own ``rank`` from ``version`` steps on: its owner has seen the vote for ``epoch``."""
        return self._take_over_next(rank=rank, epoch=epoch, version=version)

    def _prepare_swap(self, message: messages.FromCoordinator) -> Effects:
        """Obey what changes nothing of the state and can be given up without a trace."""
        done: Effects = []
        match message:
            case messages.Prepare(rank=rank) if self.phase is MemberPhase.STANDBY:
                if rank != self.prepared_rank:
                    self.prepared_rank = None
                done = [effects.PrepareRole(rank=rank)]
            case messages.AssignMirrors():
                done = self._assign(message)
            case messages.BindNext():
                done = self._bind_next(message)
            case messages.Verify(swap=swap, rank=rank, at_step=step):
                if self.running and self.rank == rank:
                    done = [effects.DigestState(swap=swap, rank=rank, at_step=step)]
            case messages.Arm():
                self._arm(message)
            case messages.Disarm():
                done = self._disarm_when_possible(message)
        return done

    def knows(self, revision: int) -> bool:
        """Whether the assignment of mirrors with this revision has been taken."""
        return revision == self._revision

    def mirror(self, rank: int) -> MirrorCore:
        """Return what decides about the bundles of ``rank``; it outlives the copy."""
        if rank not in self.mirrors:
            self.mirrors[rank] = MirrorCore(rank=rank, dead_epoch=self.dead_epoch)
        return self.mirrors[rank]

    # ------------------------------------------------------------------ what becomes of effects

    def bound(self, epoch: int) -> Effects:
        """Note that the groups of ``epoch`` are connected."""
        if self._next is None or self._next.epoch != epoch:
            return []
        self._next = replace(self._next, bound=True)
        return [Send(message=messages.Bound(epoch=epoch))]

    def resumed(self, *, epoch: int, at_s: float) -> Effects:
        """Note that the first work of ``epoch`` has begun, at CLOCK_MONOTONIC ``at_s``."""
        if not self.running or epoch != self.epoch:
            return []
        report = messages.Resumed(epoch=epoch, step=self.committed, at_monotonic_s=at_s)
        return [Send(message=report)]

    def prepared(self, rank: int) -> Effects:
        """Note that the model of ``rank`` is built."""
        if self.phase is not MemberPhase.STANDBY:
            return []
        self.prepared_rank = rank
        return [Send(message=messages.Prepared(rank=rank))]

    def peer_lost(self, *, epoch: int, detail: str) -> Effects:
        """Note that a collective of ``epoch`` has failed, or that its groups can't be connected.

        Of the epoch in force it is the end; of one that is connected in advance, of the swap.
        """
        report = Send(message=messages.PeerLost(epoch=epoch, detail=detail))
        if self.running and epoch == self.epoch:
            return [report]
        if self._next is None or epoch != self._next.epoch or self._switch_voted_s is not None:
            return []
        if self._open_for(epoch):
            return [report]
        self._armed = None
        return [*self._drop_next(through=epoch), report]

    def restored(self, epoch: int) -> None:
        """Note that the checkpoint that the Start of ``epoch`` named is loaded."""
        if epoch == self.epoch:
            self._restoring = False

    def restore_failed(self, *, epoch: int, detail: str) -> Effects:
        """Note that the checkpoint can't be loaded here."""
        if not self.running or epoch != self.epoch or self.rank is None:
            return []
        report = messages.RestoreFailed(
            epoch=epoch, step=self.committed, rank=self.rank, detail=detail
        )
        return [Send(message=report)]

    # ------------------------------------------------------------------- what prepares a swap

    def _assign(self, message: messages.AssignMirrors) -> Effects:
        """Link to the mirrors of the rank that is owned here; keep the copies that are wanted."""
        if message.revision < self._revision:
            return []
        self._revision = message.revision
        mine = {line.rank for line in message.assignments if line.member == self.name}
        dropped = [rank for rank in sorted(self.mirrors) if rank not in mine]
        for rank in dropped:
            del self.mirrors[rank]
        for rank in sorted(mine - {self.rank}):
            self.mirror(rank)
        told: Effects = [effects.DropMirror(rank=rank) for rank in dropped]
        if self.rank is not None:
            mirrors = tuple(
                line
                for line in message.assignments
                if line.rank == self.rank and line.member != self.name
            )
            told.append(effects.LinkMirrors(mirrors=mirrors))
        return told

    def _bind_next(self, message: messages.BindNext) -> Effects:
        """Connect the groups of a planned swap's epoch beside those in use."""
        seat = self._seat(message.roster)
        if seat is None or not self._possible(message.epoch):
            return []
        if self._next is not None and self._next.epoch == message.epoch:
            return self.bound(message.epoch) if self._next.bound else []
        self._armed = None
        dropped = self._drop_next(through=message.epoch)
        self._next = NextGroups(swap=message.swap, epoch=message.epoch, roster=message.roster)
        bind = effects.Bind(
            epoch=message.epoch,
            rank=seat.rank,
            roster=message.roster,
            store=message.store,
            background=True,
        )
        return [*dropped, bind]

    def _arm(self, message: messages.Arm) -> None:
        """Vote for the switch from the next ballot on, if it can be made here."""
        if not self._possible(message.epoch):
            return
        groups = self._next
        connected = groups is not None and groups.epoch == message.epoch and groups.bound
        if message.rank == self.rank or connected:
            self._armed = Armed(
                swap=message.swap,
                epoch=message.epoch,
                rank=message.rank,
                target=message.target,
            )

    def _disarm_when_possible(self, message: messages.Disarm) -> Effects:
        """Give the swap up; while a vote for it is open, wait for the result."""
        if message.epoch <= max(self.epoch, self.dead_epoch) or self._switch_voted_s is not None:
            return []
        if self._open_for(message.epoch):
            self._disarm = message
            return []
        return self._give_up(message)

    def _open_for(self, epoch: int) -> bool:
        """Whether a vote is open in which this member was ready for ``epoch``."""
        return self._ballot is not None and self._ballot.next_epoch == epoch

    def _possible(self, epoch: int) -> bool:
        """Whether a planned swap may still lead to ``epoch``."""
        return epoch > max(self.epoch, self.dead_epoch, self._given_up_epoch)

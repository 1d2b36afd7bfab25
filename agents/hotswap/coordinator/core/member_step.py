"""A member's state, and what it does of its own accord: its steps. Pure; see ``member``."""

from typing import TYPE_CHECKING, Self

from hotswap.coordinator.core import member_effects as effects
from hotswap.coordinator.core.member_effects import MemberEffect, Send
from hotswap.coordinator.core.member_values import (
    Armed,
    Ballot,
    Identity,
    MemberPhase,
    NextGroups,
)
from hotswap.wire import messages
from hotswap.wire.messages import PROTOCOL_VERSION, Holding

if TYPE_CHECKING:
    from hotswap.coordinator.core.mirror import MirrorCore

Effects = list[MemberEffect]


class StepCore:
    """What a member is and does in a step; `MemberCore` adds what it does when told."""

    def __init__(self, *, identity: Identity) -> None:
        """Begin as a standby that owns and mirrors nothing."""
        self.identity = identity
        self.phase = MemberPhase.STANDBY
        #: rank that is owned, or was until the hand-over
        self.rank: int | None = None
        #: epoch in which this member runs, or ran last; 0 before the first
        self.epoch = 0
        #: highest fencing token seen
        self.token = 0
        #: steps applied; index of the next step
        self.committed = 0
        #: whether the gradients of step ``committed`` are held, here and at the mirrors
        self.holds = False
        #: epoch in which the state was copied or restored, 0 for the first
        self.since_epoch = 0
        #: highest epoch that is dead for this member
        self.dead_epoch = 0
        #: rank whose model a standby has built in advance
        self.prepared_rank: int | None = None
        #: the copies that this member keeps, by rank
        self.mirrors: dict[int, MirrorCore] = {}
        self._acknowledged_by: frozenset[str] = frozenset()
        # what was put into a vote whose result is not known yet
        self._ballot: Ballot | None = None
        self._next: NextGroups | None = None
        self._armed: Armed | None = None
        # a Disarm that has to wait for the result of an open vote
        self._disarm: messages.Disarm | None = None
        # highest epoch of a swap that was given up
        self._given_up_epoch = 0
        # end of the vote that was unanimous for the switch, which comes at the next boundary
        self._switch_voted_s: float | None = None
        # a checkpoint is being loaded: the state is nothing until it is there
        self._restoring = False
        self._revision = 0

    # ----------------------------------------------------------------------------- what it is

    @property
    def name(self) -> str:
        """Stable name of the process."""
        return self.identity.name

    @property
    def running(self) -> bool:
        """Whether this member owns a rank in a living epoch."""
        return self.phase is MemberPhase.RUNNING

    @property
    def switch_decided(self) -> bool:
        """Whether a planned swap takes force at the next boundary."""
        return self.running and self._switch_voted_s is not None

    def hello(self) -> messages.Hello:
        """Return the first message of a connection: all that a new leader has to know."""
        me = self.identity
        return messages.Hello(
            protocol=PROTOCOL_VERSION,
            job=me.job,
            role="member",
            name=me.name,
            pid=me.pid,
            wanted_rank=me.wanted_rank,
            endpoint=me.endpoint,
            torch_version=me.torch_version,
            epoch=self.epoch,
            rank=self.rank,
            unwound=self.phase is MemberPhase.UNWOUND,
            holdings=self.holdings(),
            token=self.token,
            dead_epoch=self.dead_epoch,
            prepared_rank=self.prepared_rank,
        )

    def heartbeat(self) -> messages.Heartbeat:
        """Return a sign of life."""
        return messages.Heartbeat(epoch=self.epoch, committed=self.committed)

    def holdings(self) -> tuple[Holding, ...]:
        """Return every state of a rank that this member holds: its own first, then by rank."""
        copies = (self.mirrors[rank].holding() for rank in sorted(self.mirrors))
        mirrored = tuple(holding for holding in copies if holding is not None)
        if self.rank is None:
            return mirrored
        own = Holding(
            rank=self.rank,
            version=self.committed,
            pending=self.holds,
            kind="retired" if self.phase is MemberPhase.RETIRED else "owner",
            complete=not self._restoring,
            since_epoch=self.since_epoch,
        )
        return (own, *mirrored)

    # --------------------------------------------------------------------------------- a step

    def gradients_acknowledged(self, *, step: int, mirrors: frozenset[str]) -> bool:
        """Note that the gradients of ``step`` are held here and by each of ``mirrors``.

        ``mirrors`` are those that hold the rank's whole state; one that was dropped is not among
        them. Returns False when the epoch is dead meanwhile: the gradients are of no use.
        """
        if not self.running or step != self.committed:
            return False
        self.holds = True
        self._acknowledged_by = mirrors
        return True

    def ballot(self) -> Ballot | None:
        """Return what goes into the vote on step ``committed``; None: the epoch is dead.

        Called once per vote, directly before it: what the ballot says cannot be taken back.
        """
        if not self.running:
            return None
        ready = self.holds and not self._restoring
        next_epoch = self.epoch
        if ready and self._armed is not None and self._may_switch(self._armed):
            next_epoch = self._armed.epoch
        self._ballot = Ballot(ready=ready, epoch=self.epoch, next_epoch=next_epoch)
        return self._ballot

    def on_vote(self, *, epoch: int, ready: bool, next_epoch: int, ended_s: float) -> Effects:
        """Take the result of the vote: the MIN of all ballots of ``epoch``.

        Args:
            epoch: epoch in which the vote took place; a dead one's result is ignored.
            ready: whether every rank was ready.
            next_epoch: lowest of the epochs that the ranks are ready to be in.
            ended_s: CLOCK_MONOTONIC at the end of the vote, s.

        """
        if not self.running or epoch != self.epoch or self._ballot is None:
            return []
        self._ballot = None
        step = self.committed
        self._acknowledged_by = frozenset()
        if not ready:
            self.holds = False
            return [effects.Discard(step=step), *self._disarm_now()]
        assert self.holds, "a unanimous vote includes this rank's own"
        self.committed += 1
        self.holds = False
        done: Effects = [effects.Apply(step=step), effects.CommitMirrors(epoch=epoch, step=step)]
        if next_epoch > epoch:
            # Every rank sees the same MIN, so every one of them switches: too late to disarm.
            self._disarm = None
            self._switch_voted_s = ended_s
            return [*self._hand_over(), *done]
        return [*done, *self._disarm_now()]

    def _hand_over(self) -> Effects:
        """Let the newcomer begin at once: it holds this step's gradients, and applies them too."""
        armed = self._armed
        assert armed is not None, "nobody votes for a switch that is not armed"
        if armed.rank != self.rank:
            return []
        handed_over = effects.HandOver(
            target=armed.target, rank=armed.rank, epoch=armed.epoch, version=self.committed
        )
        return [handed_over]

    def at_boundary(self) -> Effects:
        """Let a planned swap take force, if the last vote was unanimous for it."""
        if not self.running or self._switch_voted_s is None:
            return []
        armed, voted_s = self._armed, self._switch_voted_s
        assert armed is not None, "nobody votes for a switch that is not armed"
        self.epoch = armed.epoch
        self._armed = self._next = None
        self._switch_voted_s = None
        told = Send(
            message=messages.Switched(
                epoch=armed.epoch, committed=self.committed, vote_ended_monotonic_s=voted_s
            )
        )
        if armed.rank != self.rank:
            return [effects.Switch(epoch=armed.epoch), told]
        self.phase = MemberPhase.RETIRED
        return [effects.Retire(swap=armed.swap), told]

    def clone(self) -> Self:
        """Return an independent copy of this core."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.mirrors = {rank: mirror.clone() for rank, mirror in self.mirrors.items()}
        return twin

    def fingerprint(self) -> tuple[object, ...]:
        """Return everything that decides what this core will do."""
        return (
            self.phase,
            self.rank,
            self.epoch,
            self.token,
            self.committed,
            self.holds,
            self.since_epoch,
            self.dead_epoch,
            tuple((rank, self.mirrors[rank].fingerprint()) for rank in sorted(self.mirrors)),
            self._acknowledged_by,
            self._ballot,
            self._next,
            self._armed,
            self._disarm,
            self._given_up_epoch,
            self._switch_voted_s,
            self._restoring,
            self._revision,
        )

    def _may_switch(self, armed: Armed) -> bool:
        """Whether the rank's state is where the switch needs it: the newcomer holds this step."""
        return armed.rank != self.rank or armed.target in self._acknowledged_by

    def _disarm_now(self) -> Effects:
        """Carry out a Disarm that had to wait for the result of a vote."""
        disarm, self._disarm = self._disarm, None
        return [] if disarm is None else self._give_up(disarm)

    def _give_up(self, disarm: messages.Disarm) -> Effects:
        """Vote for the present epoch only, and say so."""
        self._given_up_epoch = max(self._given_up_epoch, disarm.epoch)
        if self._armed is not None and self._armed.epoch <= disarm.epoch:
            self._armed = None
        told = Send(message=messages.Disarmed(swap=disarm.swap, epoch=disarm.epoch))
        return [*self._drop_next(through=disarm.epoch), told]

    def _drop_next(self, *, through: int) -> Effects:
        """Free groups that were connected in advance for an epoch that will not come."""
        dropped = self._next
        if dropped is None or dropped.epoch > through:
            return []
        self._next = None
        return [effects.DropGroups(epoch=dropped.epoch)]

"""The rank's state in the hands of this process: its steps, mirrors, records and take-over."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from torch.distributed import ReduceOp

from hotswap.errors import CheckpointError, EpochLost, LedgerUnwritable, StateMismatch
from hotswap.runtime.group.unwind import reset_iteration
from hotswap.runtime.mirror.replication import Replication
from hotswap.runtime.records import Checkpoints, DigestThread, Ledger
from hotswap.transfer.digest import root_digest, tensor_digests
from hotswap.wire.messages import Committed, Verified

if TYPE_CHECKING:
    from collections.abc import Callable

    from hotswap.coordinator.core.member_effects import (
        BecomeOwner,
        HandOver,
        MemberEffect,
        Restore,
    )
    from hotswap.environment import MemberEnvironment
    from hotswap.limits import Limits
    from hotswap.runtime.capsule.state import RankState
    from hotswap.runtime.data.source import DataSource
    from hotswap.runtime.group.binding import EpochGroups
    from hotswap.runtime.liaison import Liaison
    from hotswap.runtime.mirror.slot import UnreportedStep
    from hotswap.runtime.step import Step


class Owner:
    """What the main thread does with the state; made once the script has said what it is."""

    def __init__(
        self,
        environment: MemberEnvironment,
        limits: Limits,
        *,
        liaison: Liaison,
        rank: int,
        state: RankState,
        data: DataSource | None,
        carry_out: Callable[[MemberEffect], None],
    ) -> None:
        """Hold ``state`` of ``rank``; ``carry_out`` does what the core decides after a vote."""
        self.state = state
        self.data = data
        self._environment = environment
        self._limits = limits
        self._liaison = liaison
        self._core = liaison.core
        self._rank = rank
        self._carry_out = carry_out
        self._digests = DigestThread()
        # a file of this process alone; it may be opened before the rank is owned
        self._ledger: Ledger | None = None
        self._owns = False
        self._checkpoints = Checkpoints(environment, rank=rank, state=state, limits=limits)
        # whether a step has begun that was neither applied nor discarded
        self._open = False
        # whether the ranks have agreed that this step's gradients overflowed
        self._skip = False
        # whether the ranks have agreed to do the step once more, in the same epoch
        self._repeat = False
        # the swap by which this process took the rank over, until it has said which state it took
        self._newcomer = ""
        self._resumed_epoch = 0
        # whether the state is to be digested while the next step computes
        self._digest_due = False

    # ------------------------------------------------------------------------------- ownership

    def own(self) -> None:
        """From now on this process writes the rank's records and has it mirrored. Idempotent."""
        if self._owns:
            return
        self._owns = True
        self._open_ledger()
        self._liaison.use_replication(
            Replication(
                owner=self._environment.member,
                state=self.state,
                limits=self._limits,
                stamp=lambda: (self._core.epoch, self._core.token),
                reporter=self._liaison,
            )
        )

    def _open_ledger(self) -> None:
        if self._ledger is None:
            self._ledger = Ledger(
                self._environment, rank=self._rank, data=self.data, limits=self._limits
            )

    def prepare(self) -> None:
        """Be ready to take the rank over out of the mirror in this process, if it has one."""
        self._open_ledger()
        slot = self._liaison.mirrors.slot(self._rank)
        if slot is not None:
            self.state.prepare(slot.specs())

    def take_over(self, duty: BecomeOwner) -> None:
        """Become the owner, out of the mirror in this process.

        Raises:
            StateMismatch: the mirror's bits changed at rest: it must not be swapped in.

        """
        if duty.fresh:
            return
        self._newcomer = duty.swap
        try:
            taken = self._liaison.mirrors.take(duty.rank).take(apply_pending=duty.apply_pending)
        except StateMismatch as error:
            self._liaison.corrupted(rank=duty.rank, step=duty.version, tensors=tuple(error.tensors))
            raise
        self.state.load(
            version=taken.version,
            units=taken.units,
            tensors=taken.tensors,
            buffers=taken.buffers,
            small=taken.small,
        )
        if taken.applied is not None:
            self.state.advance(skip=taken.applied.skip)
            self.own()
            self._report_for_the_lost(duty, taken.applied)

    def _report_for_the_lost(self, duty: BecomeOwner, applied: UnreportedStep) -> None:
        """Report the step that the former owner may have been lost in; it may be told twice."""
        step = duty.version - 1
        samples = self.record(step)
        self._liaison.send(
            Committed(
                epoch=applied.epoch,
                rank=duty.rank,
                step=step,
                loss=applied.loss,
                samples=samples,
                values=dict(applied.values),
            ),
            keep=True,
        )

    def restore(self, duty: Restore) -> None:
        """Become what the rank was at a checkpoint, and tell the core how that went."""
        self.discard()
        self.own()
        epoch = self._core.epoch
        try:
            self._checkpoints.restore(duty.step)
        except CheckpointError as error:
            detail = str(error)
            self._liaison.later(lambda: self._core.restore_failed(epoch=epoch, detail=detail))
            return
        if self._liaison.replication is not None:
            self._liaison.replication.start_over()
        with self._liaison.changed:
            self._core.restored(epoch)

    def say_what_is_kept(self) -> None:
        """Tell the digest of the state that was handed over, for the swap's certificate."""
        digests = self.state.digests(tensor_digests)
        self._say_digest("owner", self._core.committed, digests, swap=self._liaison.swap)

    def abandon(self) -> None:
        """Let go of what was opened for a rank that another process goes on owning."""
        if self.data is not None:
            self.data.close()
        with suppress(LedgerUnwritable):
            self.close()

    def close(self) -> None:
        """Bring the records to the disk; the last step is done, or the script starts over."""
        # It only reads memory of this process, and ends when that is read.
        # ast-grep-ignore: bounded-wait
        self._digests.wait()
        if self._ledger is not None:
            self._ledger.close()
        self._checkpoints.close()

    # --------------------------------------------------------------------------------- a step

    def tend(self) -> None:
        """Look after the mirrors before the next step begins."""
        if self._liaison.replication is not None:
            self._liaison.replication.boundary(self.state.version)
        asked = self._liaison.digest
        wanted = asked is not None and self.state.version >= asked.at_step
        due = self.state.version % self._limits.digest_every_steps == 0
        self._digest_due = due or wanted or bool(self._newcomer)

    def begin(self) -> None:
        """Note that a step's work begins."""
        if self._resumed_epoch != self._core.epoch:
            self._resumed_epoch = self._core.epoch
            now_s = time.monotonic()
            self._liaison.later(lambda: self._core.resumed(epoch=self._core.epoch, at_s=now_s))
            self._liaison.mirrors.standstill.end()
        self.state.begin_step()
        self._open = True
        # Not before: a rank that has just changed hands is waited for by all others.
        if self._digest_due:
            self._digests.start(self.state)
            self._digest_due = False

    def commit(self, step: Step) -> None:
        """Replicate, vote, apply; see ``Conductor.commit``."""
        groups = self._liaison.groups
        if groups is None:
            message = f"the epoch was lost before the vote on step {step.index}"
            raise EpochLost(message)
        self.state.check_unchanged()
        self._skip = self._agree_on_overflow(groups)
        mirrors = self._replicate(step)
        self._vote(step.index, groups, mirrors)
        self._liaison.send(
            Committed(
                epoch=step.epoch,
                rank=self._rank,
                step=step.index,
                loss=step.loss,
                step_s=time.monotonic() - step.started_s,
                samples=self.record(step.index),
                values=step.values,
                protected_by=mirrors,
            ),
            keep=True,
        )

    def apply(self) -> None:
        """Apply the gradients that are held."""
        # It only reads memory of this process, and ends when that is read.
        # ast-grep-ignore: bounded-wait
        self._digests.wait()
        self.state.apply(skip=self._skip)
        self._open = False

    def commit_mirrors(self, step: int) -> None:
        """Let the mirrors apply ``step``; those that have done so take no notice."""
        if self._liaison.replication is not None and step >= 0:
            self._liaison.replication.commit(step)

    def hand_over(self, duty: HandOver) -> None:
        """Tell the newcomer that it owns the rank."""
        assert self._liaison.replication is not None, "the newcomer mirrors this rank"
        self._liaison.replication.hand_over(duty.target, step=duty.version, next_epoch=duty.epoch)

    def record(self, step: int) -> int:
        """Record the samples of ``step`` and return how many they were."""
        return 0 if self._ledger is None else self._ledger.record(epoch=self._core.epoch, step=step)

    def discard(self) -> None:
        """Be as before the step that was begun, if it was not applied."""
        if self._open:
            reset_iteration(self.state.model)
            self.state.discard()
            self._open = False

    def repeats(self) -> bool:
        """Whether the ranks have agreed to do the step once more; asked once per step."""
        repeat, self._repeat = self._repeat, False
        return repeat

    def _agree_on_overflow(self, groups: EpochGroups) -> bool:
        """Unscale; all skip the optimizer if any rank's gradients overflowed."""
        overflow = self.state.unscale_and_check()
        if not self.state.scaled:
            return False
        return bool(groups.reduce([int(overflow)], ReduceOp.MAX)[0])

    def _replicate(self, step: Step) -> tuple[str, ...]:
        """Have every protecting mirror hold the step; name them."""
        replication = self._liaison.replication
        digests = self._digests.take()
        if replication is None:
            return ()
        if digests is not None:
            self._compare(replication, step.index, digests)
        replication.replicate(step.index, skip=self._skip, loss=step.loss, values=step.values)
        return replication.acknowledged(step.index)

    def _compare(self, replication: Replication, step: int, digests: dict[str, str]) -> None:
        if self._newcomer:
            self._say_digest("mirror", step, digests, swap=self._newcomer)
            self._newcomer = ""
        with self._liaison.changed:
            asked = self._liaison.digest
            due = asked is not None and step >= asked.at_step
            if due:
                self._liaison.digest = None
        swap = asked.swap if asked is not None and due else ""
        if swap:
            self._say_digest("owner", step, digests, swap=swap)
        replication.compare(step, digests, swap=swap)

    def _say_digest(
        self, kind: Literal["owner", "mirror"], step: int, digests: dict[str, str], *, swap: str
    ) -> None:
        digest = root_digest(digests)
        self._liaison.send(
            Verified(swap=swap, rank=self._rank, step=step, kind=kind, digest=digest)
        )

    def _vote(self, step: int, groups: EpochGroups, mirrors: tuple[str, ...]) -> None:
        """Agree with every rank that the step counts, then apply it."""
        with self._liaison.changed:
            held = self._core.gradients_acknowledged(step=step, mirrors=frozenset(mirrors))
            ballot = self._core.ballot()
        if not held or ballot is None:
            message = f"epoch {groups.epoch} was lost before the vote on step {step}"
            raise EpochLost(message)
        ready, next_epoch, idle = groups.reduce(
            [int(ballot.ready), ballot.next_epoch, int(self._checkpoints.idle)], ReduceOp.MIN
        )
        ended_s = time.monotonic()
        effects = self._liaison.decide(
            lambda: self._core.on_vote(
                epoch=ballot.epoch, ready=bool(ready), next_epoch=next_epoch, ended_s=ended_s
            )
        )
        for effect in effects:
            self._carry_out(effect)
        if not effects or not ready:
            self._repeat = bool(effects)
            message = f"step {step} did not count in epoch {ballot.epoch}: it is repeated"
            raise EpochLost(message)
        if idle and self._checkpoints.due(self._core.committed):
            self._checkpoints.capture(epoch=ballot.epoch)

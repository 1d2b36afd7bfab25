"""A member of a protected job: what the training script's own thread does between two steps."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import torch.distributed as dist
from torch._C._distributed_c10d import TCPStore

from hotswap.coordinator.core import member_effects as effects
from hotswap.coordinator.core.member_values import MemberPhase
from hotswap.errors import FencedOff, LedgerUnwritable
from hotswap.runtime import garbage, session, threads
from hotswap.runtime.capsule.optimizers import warm_up
from hotswap.runtime.device import local_device
from hotswap.runtime.group.registry import GroupRegistry, register
from hotswap.runtime.group.unwind import settle_buckets
from hotswap.runtime.liaison import Liaison
from hotswap.runtime.meshes import set_apart
from hotswap.runtime.owner import Owner
from hotswap.wire.messages import Finished

if TYPE_CHECKING:
    from hotswap.environment import MemberEnvironment
    from hotswap.limits import Limits
    from hotswap.runtime.capsule.state import RankState
    from hotswap.runtime.data.source import DataSource
    from hotswap.runtime.step import Step

#: Longest reason that travels in a message.
_REASON_MAX = 500


class Member:
    """Recovers, takes over and leaves; a ``JobConductor``.

    One object lives as long as the process; the script may run several times on it, each time
    for one rank (see ``bootstrap``).
    """

    def __init__(self, environment: MemberEnvironment, limits: Limits) -> None:
        """Prepare; ``start`` connects to the job."""
        self.device = local_device()
        self._environment = environment
        self._limits = limits
        self._registry = GroupRegistry()
        register(self._registry)
        # Every member can serve a rendezvous: an epoch names one that lives.
        self._store = TCPStore(environment.host, 0, is_master=True, wait_for_workers=False)
        self._liaison = Liaison(
            environment,
            limits,
            registry=self._registry,
            device=self.device,
            store_port=self._store.port,
        )
        self._core = self._liaison.core
        self._finished = False
        # rank that the script was run for; None before it has one
        self._rank: int | None = None
        self._owner: Owner | None = None
        # how often the script has run, or runs
        self._runs = 1
        # epoch whose groups are in use; 0: none
        self._bound_epoch = 0

    def start(self) -> None:
        """Connect to the job, once nothing is left to load that others would wait for."""
        warm_up()
        self._liaison.start()

    @property
    def epoch(self) -> int:
        """Ownership epoch in force."""
        return self._core.epoch

    @property
    def _present_owner(self) -> Owner:
        assert self._owner is not None, "protect comes before the first step"
        return self._owner

    # ---------------------------------------------------------------------------------- the role

    def await_rank(self) -> int:
        """Wait until this process is given a rank, to own or to prepare for, and return it."""
        garbage.keep_all()
        while True:
            duty = self._next_duty()
            match duty:
                case effects.PrepareRole():
                    self._rank = duty.rank
                    return self._rank
                case effects.BecomeOwner() if duty.fresh:
                    self._rank = duty.rank
                case effects.Bind() if self._rank is not None:
                    # The first epoch: further groups are connected as the script makes them.
                    self._liaison.begin_binding(duty)
                    if self._use(duty.epoch):
                        return self._rank
                    self._rank = None
                case effects.BecomeOwner() | effects.Restore():
                    self._rank = duty.rank
                    self._put_back(duty)
                    return self._rank

    def protect(self, state: RankState, data: DataSource | None) -> None:
        """Take charge of the state."""
        assert self._rank is not None, "join comes before protect"
        settle_buckets(state.model)
        self._owner = Owner(
            self._environment,
            self._limits,
            liaison=self._liaison,
            rank=self._rank,
            state=state,
            data=data,
            carry_out=self._carry_out,
        )

    # ---------------------------------------------------------------------------- between steps

    def boundary(self, total: int) -> int:
        """Bring this process to the start of its next step; see ``JobConductor``."""
        if self._liaison.built is None:
            self._built()
        for effect in self._liaison.decide(self._core.at_boundary):
            self._carry_out(effect)
        self._settle()
        while (duty := self._next_duty()) is not None:
            self._carry_out(duty)
            self._settle()
        self._present_owner.own()
        if self._core.committed < total:
            self._present_owner.tend()
        return self._core.committed

    def _built(self) -> None:
        """The script has built its model and made its groups."""
        rank = self._rank
        assert rank is not None, "join comes before the first step"
        with self._liaison.changed:
            self._liaison.built = rank
            standby = self._core.phase is MemberPhase.STANDBY
            for duty in self._liaison.duties:
                if isinstance(duty, effects.Bind) and duty.rank == rank:
                    self._liaison.begin_binding(duty)
        if standby:
            self._prepare(rank)

    def _prepare(self, rank: int) -> None:
        """Be ready to take over ``rank``, whose model is built, and say so."""
        self._present_owner.prepare()
        self._liaison.later(lambda: self._core.prepared(rank))

    def _settle(self) -> None:
        """Leave the groups of an epoch that was lost between two steps."""
        if self._core.phase is MemberPhase.UNWOUND:
            self._leave_epoch()

    def _next_duty(self) -> effects.MemberEffect | None:
        """Return what to do next; None once this process owns a rank and may begin a step."""
        with self._liaison.changed:
            while True:
                self._leave_if_told()
                if self._liaison.duties:
                    return self._liaison.duties.popleft()
                if self._bound():
                    return None
                limit_s = self._patience_s()
                if not self._liaison.changed.wait(limit_s):
                    message = (
                        f"{self._environment.member} has waited {limit_s} s as "
                        f"{self._core.phase} in epoch {self._core.epoch} and was told nothing"
                    )
                    raise FencedOff(message)

    def _patience_s(self) -> float:
        standing_by = self._core.phase is MemberPhase.STANDBY
        return self._limits.standby_wait_s if standing_by else self._limits.next_epoch_s

    def _leave_if_told(self) -> None:
        leave = self._liaison.leave
        if leave is None:
            return
        if not leave.ok:
            raise FencedOff(f"{leave.code}: {leave.reason}")
        raise SystemExit(0)

    def _carry_out(self, duty: effects.MemberEffect) -> None:
        if self._is_for_another_rank(duty):
            self._start_over(duty)
        if not self._carry_out_role(duty):
            self._carry_out_step(duty)

    def _carry_out_role(self, duty: effects.MemberEffect) -> bool:
        """Do what changes the rank's owner or its groups; False when ``duty`` is not of these."""
        match duty:
            case effects.Bind():
                self._liaison.begin_binding(duty)
                self._use(duty.epoch)
            case effects.Switch():
                self._use(duty.epoch)
            case effects.Retire():
                self._retire()
            case effects.BecomeOwner():
                self._present_owner.take_over(duty)
            case effects.Restore():
                self._present_owner.restore(duty)
            case effects.PrepareRole():
                self._prepare(duty.rank)
            case effects.Reinstate():
                pass  # the state was kept, and what follows connects it again
            case _:
                return False
        return True

    def _carry_out_step(self, duty: effects.MemberEffect) -> None:
        """Do what becomes of a step."""
        owner = self._present_owner
        match duty:
            case effects.Apply():
                owner.apply()
            case effects.RollForward():
                owner.apply()
                owner.record(duty.step)
            case effects.Discard():
                owner.discard()
                # A mirror may have missed, in a lost epoch, that the step before was committed.
                owner.commit_mirrors(duty.step - 1)
            case effects.CommitMirrors():
                owner.commit_mirrors(duty.step)
            case effects.HandOver():
                owner.hand_over(duty)
            case _:
                message = f"{duty} is no duty of the main thread"
                raise AssertionError(message)

    def _is_for_another_rank(self, duty: effects.MemberEffect) -> bool:
        """Whether the script has built its model for another rank than ``duty`` is for."""
        role = effects.Bind | effects.BecomeOwner | effects.Restore | effects.PrepareRole
        return isinstance(duty, role) and duty.rank != self._rank

    def _put_back(self, duty: effects.MemberEffect) -> None:
        with self._liaison.changed:
            self._liaison.duties.appendleft(duty)

    def _start_over(self, duty: effects.MemberEffect) -> None:
        """Run the script again, for the rank of ``duty``."""
        self._put_back(duty)
        with self._liaison.changed:
            self._liaison.built = None
        dist.destroy_process_group()
        self._registry.forget()
        self._runs += 1
        set_apart(self._runs)
        owner, self._owner = self._owner, None
        if owner is not None:
            owner.abandon()
        self._rank = None
        session.current.joined = False
        raise session.StartOver

    def _use(self, epoch: int) -> bool:
        """Change over to the groups of ``epoch``; False when they could not be connected."""
        binding = self._liaison.take_binding(epoch)
        groups = None if binding is None else binding.take()
        if groups is None:
            return False
        with self._liaison.changed:
            former, self._liaison.groups = self._liaison.groups, groups
        self._registry.bind(groups)
        self._bound_epoch = epoch
        if former is not None:
            # Every collective of it has ended with the vote.
            former.close_later()
        return True

    def _retire(self) -> None:
        """Keep the state for the newcomer's sake, and say what it is."""
        with self._liaison.changed:
            groups, self._liaison.groups = self._liaison.groups, None
        self._registry.unbind()
        self._bound_epoch = 0
        if groups is not None:
            groups.close_later()
        # The newcomer may be on this machine, and everybody waits for it.
        with self._liaison.changed:
            self._liaison.changed.wait_for(self._told, self._limits.takeover_s)
        self._present_owner.say_what_is_kept()

    def _told(self) -> bool:
        return bool(self._liaison.duties) or self._liaison.leave is not None

    # ----------------------------------------------------------------------------- within a step

    def begin(self) -> None:
        """Note that a step's work begins."""
        self._present_owner.begin()

    def commit(self, step: Step) -> None:
        """Replicate, vote, apply."""
        self._present_owner.commit(step)

    def lost(self) -> bool:
        """Whether the step has to be repeated; if so, leave its epoch. See ``Conductor``."""
        if self._present_owner.repeats():
            return True
        groups = self._liaison.groups
        if groups is not None and self._liaison.in_force(groups.epoch) and groups.broken():
            # Known here first: the coordinator hears of it and declares the epoch dead.
            self._liaison.peer_lost(groups.epoch, "a collective failed, or a connection broke")
            self._liaison.await_end(groups.epoch)
        if self._bound():
            return False
        self._leave_epoch()
        return True

    def _leave_epoch(self) -> None:
        """Make sure that nothing of the lost epoch can reach this process's tensors any more."""
        with self._liaison.changed:
            groups, self._liaison.groups = self._liaison.groups, None
            held = self._core.holds or any(
                isinstance(duty, effects.RollForward) for duty in self._liaison.duties
            )
        self._registry.unbind()
        self._bound_epoch = 0
        if groups is not None:
            groups.interrupt()
            groups.close()
        if not held:
            self._present_owner.discard()

    # ----------------------------------------------------------------------------------- the end

    def finish(self) -> bool:
        """Every step is done here; True once the job is over.

        False: a rank was lost before. The job recovers once more, so that its last step counts
        everywhere. Without a coordinator the job is over after ``drain_s``.
        """
        self._present_owner.close()
        self._say_finished(ok=True, detail="")
        with self._liaison.changed:
            self._liaison.changed.wait_for(
                lambda: self._liaison.leave is not None or not self._bound(), self._limits.drain_s
            )
            leave = self._liaison.leave
        if leave is not None:
            if not leave.ok:
                self._leave_if_told()
            return True
        return self._bound()

    def _bound(self) -> bool:
        """Whether the groups in use are those of the epoch in force."""
        return self._liaison.in_force(self._bound_epoch)

    def leave(self, *, ok: bool, detail: str) -> None:
        """The script has ended: say so, and free everything."""
        if not (ok and self._finished):
            self._say_finished(ok=ok, detail=detail)
        if self._owner is not None:
            # What has brought the script to its end is what is told; the audit names the records.
            with suppress(LedgerUnwritable):
                self._owner.close()
        self._liaison.close()
        with self._liaison.changed:
            groups, self._liaison.groups = self._liaison.groups, None
        if groups is not None:
            groups.interrupt()
            groups.close()
        threads.wait_ended(timeout_s=self._limits.threads_s)

    def _say_finished(self, *, ok: bool, detail: str) -> None:
        self._finished = True
        self._liaison.send(
            Finished(
                epoch=self._core.epoch,
                committed=self._core.committed,
                ok=ok,
                detail=detail[:_REASON_MAX],
            ),
            keep=True,
        )

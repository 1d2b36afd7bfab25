"""The member towards the others: commands, mirrors and connections, outside the main thread.

The protocol's decisions are ``MemberCore``'s. Here they are carried out: at once where that never
waits (messages, leaving an epoch, starting to connect the next one), else as *duties* that the
main thread takes up between two steps.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING, Literal

import torch

from hotswap.channel.addresses import known_addresses, latest_leader
from hotswap.coordinator.core import member_effects as effects
from hotswap.coordinator.core.member import MemberCore
from hotswap.coordinator.core.member_values import Identity
from hotswap.runtime.binder import Binding
from hotswap.runtime.control import ControlThread
from hotswap.runtime.dialer import Dialer
from hotswap.runtime.mirror.server import MirrorServer
from hotswap.wire import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hotswap.environment import MemberEnvironment
    from hotswap.limits import Limits
    from hotswap.runtime.group.binding import EpochGroups
    from hotswap.runtime.group.registry import GroupRegistry
    from hotswap.runtime.mirror.link import MirrorLink
    from hotswap.runtime.mirror.replication import Replication

#: Refusals after which the member looks for a coordinator again.
_PASSING = frozenset({"not_leader", "peer_silent", "bad_frame", "unknown_message"})

#: Longest reason that travels in a message.
_REASON_MAX = 500


class Liaison:
    """What a member does outside its main thread. Everything public takes the lock itself."""

    def __init__(
        self,
        environment: MemberEnvironment,
        limits: Limits,
        *,
        registry: GroupRegistry,
        device: torch.device,
        store_port: int,
    ) -> None:
        """Listen for mirrors; ``start`` connects to the coordinator."""
        self._environment = environment
        self._limits = limits
        self._registry = registry
        self._device = device
        #: guards the core and everything below; notified of each change
        self.changed = threading.Condition(threading.RLock())
        self.duties: deque[effects.MemberEffect] = deque()
        #: groups in use; set by the main thread
        self.groups: EpochGroups | None = None
        #: connections being made, by epoch
        self.bindings: dict[int, Binding] = {}
        #: a digest that a planned swap asked for
        self.digest: effects.DigestState | None = None
        #: the planned swap that this member was last armed for
        self.swap = ""
        #: why this process has to leave the job
        self.leave: effects.Leave | None = None
        #: rank for which the script has built its model and made all its groups, if it has
        self.built: int | None = None
        self.replication: Replication | None = None
        self._mirrorings: tuple[messages.Mirroring, ...] = ()
        self._dialled: set[str] = set()
        self.mirrors = MirrorServer(
            host=environment.host, key=environment.job_key, limits=limits, events=self
        )
        self.core = MemberCore(
            identity=Identity(
                job=environment.job,
                name=environment.member,
                pid=os.getpid(),
                endpoint=messages.Endpoint(
                    host=environment.host, store_port=store_port, mirror_port=self.mirrors.port
                ),
                wanted_rank=environment.wanted_rank,
                torch_version=str(torch.__version__),
            )
        )
        self._dialer = Dialer(
            name=environment.member,
            key=environment.job_key,
            limits=limits,
            on_link=self._linked,
            on_lost=self._link_lost,
        )
        self._control = ControlThread(
            self, name=environment.member, key=environment.job_key, limits=limits
        )

    def start(self) -> None:
        """Let owners in, look for the leader and say hello."""
        self.mirrors.start(core_of=self.core.mirror, guard=self.changed)
        self._control.start()

    def send(self, message: messages.Message, *, keep: bool = False) -> None:
        """Tell the coordinator; ``keep`` it for the next one while there is none."""
        self._control.send(message, keep=keep)

    def close(self) -> None:
        """End every connection."""
        self._control.close()
        self.mirrors.close()
        with self.changed:
            replication, self.replication = self.replication, None
        if replication is not None:
            replication.close()

    # --------------------------------------------------------------------------------- effects

    def decide(
        self, decision: Callable[[], list[effects.MemberEffect]]
    ) -> list[effects.MemberEffect]:
        """Ask the core, carry out at once what never waits, and return the rest in order."""
        with self.changed:
            left = [effect for effect in decision() if not self._at_once(effect)]
            self.changed.notify_all()
            return left

    def later(self, decision: Callable[[], list[effects.MemberEffect]]) -> None:
        """Do as ``decide``, and leave the rest to the main thread."""
        with self.changed:
            self.duties.extend(self.decide(decision))

    def _at_once(self, effect: effects.MemberEffect) -> bool:
        """Carry ``effect`` out if that never waits; False where it is the main thread's."""
        match effect:
            case effects.Send():
                self._control.send(effect.message)
            case effects.Abandon():
                self._abandon(effect.epoch)
            case effects.Bind():
                return self._bind(effect)
            case effects.DropGroups():
                binding = self.bindings.get(effect.epoch)
                if binding is not None:
                    binding.give_up()
            case effects.DigestState():
                self.digest = effect
            case effects.Leave():
                self.leave = effect
                if not effect.ok:
                    self._abandon(self.core.epoch)
            case _:
                return self._at_once_on_mirrors(effect)
        return True

    def _at_once_on_mirrors(self, effect: effects.MemberEffect) -> bool:
        match effect:
            case effects.LinkMirrors():
                self._mirrorings = effect.mirrors
                self._dial()
            case effects.DropMirror():
                self.mirrors.drop(effect.rank)
            case effects.BecomeOwner():
                self.mirrors.freeze(effect.rank)
                return False
            case _:
                return False
        return True

    def _abandon(self, epoch: int) -> None:
        if self.groups is not None and self.groups.epoch <= epoch:
            self.groups.interrupt()
        for binding in self.bindings.values():
            if binding.epoch <= epoch:
                binding.give_up()

    def _bind(self, effect: effects.Bind) -> bool:
        """Start to connect, if the groups are made; in the foreground the main thread waits."""
        if self.built == effect.rank:
            self.begin_binding(effect)
        elif effect.background:
            self.later(
                lambda: self.core.peer_lost(
                    epoch=effect.epoch, detail=f"{self.core.name} has not built that rank's groups"
                )
            )
        return effect.background

    def begin_binding(self, effect: effects.Bind) -> None:
        """Start to connect the groups that the script has made, unless that is under way."""
        with self.changed:
            if effect.epoch in self.bindings:
                return
            self.bindings[effect.epoch] = Binding(
                epoch=effect.epoch,
                rank=effect.rank,
                world_size=len(effect.roster),
                store=effect.store,
                specs=self._registry.specs,
                device=self._device,
                host=self._environment.host,
                limits=self._limits,
                on_failure=self.peer_lost,
                on_bound=lambda epoch: self.later(lambda: self.core.bound(epoch)),
            )

    def take_binding(self, epoch: int) -> Binding | None:
        """Give the connections of ``epoch`` away, and free those of earlier ones.

        A later epoch may have begun already: its connections stay.
        """
        with self.changed:
            binding = self.bindings.pop(epoch, None)
            stale = [self.bindings.pop(each) for each in sorted(self.bindings) if each < epoch]
        for other in stale:
            other.close()
        return binding

    def in_force(self, epoch: int) -> bool:
        """Whether this member owns a rank in ``epoch``, and that epoch lives."""
        return self.core.running and self.core.epoch == epoch

    def await_end(self, epoch: int) -> None:
        """Wait until ``epoch`` is over, at most ``next_epoch_s``.

        The next one may have begun by then: both commands can come before the caller looks.
        """
        with self.changed:
            self.changed.wait_for(
                lambda: self.leave is not None or not self.in_force(epoch),
                self._limits.next_epoch_s,
            )

    def peer_lost(self, epoch: int, detail: str) -> None:
        """A collective of ``epoch`` failed, or its groups can't be connected."""
        self.later(lambda: self.core.peer_lost(epoch=epoch, detail=detail[:_REASON_MAX]))

    # ------------------------------------------------------------ Endpointed: the control thread

    def hello(self) -> messages.Hello:
        """Say how this member stands."""
        with self.changed:
            return self.core.hello()

    def heartbeat(self) -> messages.Heartbeat:
        """Say that this member is alive, and where it stands."""
        with self.changed:
            return self.core.heartbeat()

    def command(self, message: messages.FromCoordinator) -> None:
        """Take a command of the coordinator."""
        if isinstance(message, messages.Arm):
            self.swap = message.swap
        self.later(lambda: self.core.on_command(message))
        refuses = isinstance(message, messages.Refused) and message.code not in _PASSING
        if isinstance(message, messages.Refused) and refuses and self.leave is None:
            refused = effects.Leave(ok=False, code=message.code, reason=message.detail)
            self.later(lambda: [refused])

    def addresses(self) -> Iterable[tuple[str, int]]:
        """Return where the job's coordinators listen, the latest leader first."""
        return known_addresses(self._environment.job_directory)

    def control_failed(self, error: Exception) -> None:
        """The control thread has ended by a fault: without it this process must not go on."""
        failed = effects.Leave(
            ok=False, code="control_failed", reason=f"{type(error).__name__}: {error}"
        )
        self.later(lambda: [failed])

    def leader_token(self) -> int:
        """Return the highest fencing token that a coordinator has announced."""
        leader = latest_leader(self._environment.job_directory)
        return 0 if leader is None else leader.token

    # --------------------------------------------------------- MirrorEvents: the links' threads

    def mirrored(self, holding: messages.Holding, *, received_nbytes: int) -> None:
        """Report a mirror on this member."""
        self._control.send(messages.MirrorReport(holding=holding, bytes_received=received_nbytes))

    def compared(
        self, *, rank: int, step: int, swap: str, digest: str, tensors: tuple[str, ...]
    ) -> None:
        """Report a comparison that a swap asked for, and any difference."""
        if tensors:
            self.corrupted(rank=rank, step=step, tensors=tensors)
        if swap:
            self._control.send(
                messages.Verified(
                    swap=swap,
                    rank=rank,
                    step=step,
                    kind="mirror",
                    digest=digest,
                    mismatched=tensors,
                )
            )

    def corrupted(self, *, rank: int, step: int, tensors: tuple[str, ...]) -> None:
        """Report that a mirror here is not what it was."""
        self._report(rank=rank, step=step, tensors=tensors, where="mirror")

    def handed_over(self, *, rank: int, step: int, next_epoch: int) -> None:
        """Own ``rank`` from now on, as its former owner says."""
        self.later(lambda: self.core.on_handover(rank=rank, epoch=next_epoch, version=step))

    # ------------------------------------------------------------------ links to our own mirrors

    def use_replication(self, replication: Replication) -> None:
        """Connect to the mirrors that are assigned, now that there is a state to mirror."""
        with self.changed:
            self.replication = replication
            self._dialled.clear()
            self._dial()

    def _dial(self) -> None:
        wanted = {mirroring.member: mirroring for mirroring in self._mirrorings}
        if self.replication is None:
            return
        self.replication.keep_only(set(wanted))
        self._dialled &= set(wanted)
        for member, mirroring in wanted.items():
            if member not in self._dialled:
                self._dialled.add(member)
                self._dialer.dial(mirroring)

    def _linked(self, link: MirrorLink) -> None:
        with self.changed:
            if self.replication is not None and link.rank == self.core.rank:
                self.replication.add(link)
                return
        link.close()

    def _link_lost(self, link: MirrorLink) -> None:
        with self.changed:
            self._dialled.discard(link.member)
            rank = self.core.rank
        if rank is not None:
            reason = link.lost or "unknown"
            self._control.send(
                messages.ProtectionLost(rank=rank, mirror=link.member, reason=reason[:_REASON_MAX]),
                keep=True,
            )

    def corruption(
        self,
        where: Literal["copy", "gradient", "mirror"],
        *,
        step: int,
        tensors: tuple[str, ...],
        mirror: str,
    ) -> None:
        """Report bytes that differ between this owner and ``mirror``."""
        del mirror
        assert self.core.rank is not None, "only an owner has mirrors"
        self._report(rank=self.core.rank, step=step, tensors=tensors, where=where)

    def _report(
        self,
        *,
        rank: int,
        step: int,
        tensors: tuple[str, ...],
        where: Literal["copy", "gradient", "mirror"],
    ) -> None:
        message = messages.CorruptionFound(rank=rank, step=step, tensors=tensors, where=where)
        self._control.send(message, keep=True)

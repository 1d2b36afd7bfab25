"""A whole job in one process: real cores, and between them a network that may lose, delay and cut.

What can happen next is an *action*: taken in every order, or at random. Connections deliver in
order, and lose what is in flight when they break. The record's register refuses a lower token.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, cast

from hotswap.coordinator.core import effects as coordinator_effects
from hotswap.coordinator.core.coordinator import Coordinator
from hotswap.coordinator.core.events import (
    BecameLeader,
    CheckpointFound,
    Disconnected,
    Event,
    Received,
    SaveRefused,
    Tick,
)
from hotswap.coordinator.core.member import MemberCore
from hotswap.limits import Limits
from hotswap.wire import messages
from hotswap.wire.messages import Hello, Message
from tests.simulation import runtime
from tests.simulation.checks import Ghost, check_restore
from tests.simulation.node import Node, identity
from tests.simulation.parts import Office, Packet, Store, hashes, packet

if TYPE_CHECKING:
    from collections.abc import Callable


OPERATOR = "operator"

#: Grace and lease, s; nothing else runs out by itself.
LIMITS = Limits(
    disconnect_grace_s=1.0,
    lease_s=2.0,
    prepare_s=1e9,
    swap_s=2e9,
    bind_s=1e9,
    certificate_s=1e9,
    replacement_s=1e9,
    barren_epochs_max=50,
)

Action = tuple[str, ...]


_COPIED = ("nodes", "offices", "control", "up", "down", "links", "electorate", "budget")


class World:
    """All processes, and what is under way between them."""

    def __init__(
        self,
        *,
        ranks: int,
        standbys: int,
        steps: int,
        coordinators: int = 2,
        limits: Limits = LIMITS,
        member: Callable[..., MemberCore] = MemberCore,
        coordinator: Callable[..., Coordinator] = Coordinator,
    ) -> None:
        """Begin a job of ``ranks`` that ends after ``steps``; nobody is connected yet."""
        self.ranks = ranks
        self.steps = steps
        self.member_class = member
        self.nodes: dict[str, Node] = {}
        self.offices: dict[str, Office] = {}
        self.store = Store()
        #: member -> coordinator that it is connected to
        self.control: dict[str, str] = {}
        self.up: dict[str, tuple[Packet, ...]] = {}
        self.down: dict[str, tuple[Packet, ...]] = {}
        #: (owner, mirror) -> bundles under way
        self.links: dict[tuple[str, str], tuple[tuple[str, int, int], ...]] = {}
        #: members that can't reach any coordinator
        self.cut: frozenset[str] = frozenset()
        #: processes that take no step
        self.frozen: frozenset[str] = frozenset()
        #: members that have exited, and no leader has heard of it
        self.exited: frozenset[str] = frozenset()
        #: epoch -> members whose ballots make a vote
        self.electorate: dict[int, tuple[str, ...]] = {}
        #: (epoch, step) -> member -> (ready, next epoch)
        self.ballots: dict[tuple[int, int], dict[str, tuple[bool, int]]] = {}
        #: newest checkpoint
        self.checkpoint: int | None = 0
        #: checkpoint that a coordinator is looking for
        self.seeking: frozenset[str] = frozenset()
        #: faults that may still happen, by kind
        self.budget: dict[str, int] = {}
        self.ghost = Ghost()
        self.requests = 0
        #: members that no fault has told apart yet: the first one is hit first, whatever its name
        self.alike: frozenset[str] = frozenset()
        #: leave out moments at which nothing can happen that could not happen before or after
        self.terse = False
        #: messages that are not sent
        self.unsaid: tuple[type[Message], ...] = ()
        #: owner and mirrors compare digests so often; 0: only for planned swaps
        self.compare_every_steps = 0
        self._fresh: set[str] = set()
        for number in range(coordinators):
            name = f"c{number}"
            core = coordinator(job="job", name=name, world_size=ranks, limits=limits)
            self.offices[name] = Office(core)
        for rank in range(ranks):
            self.spawn(f"r{rank}", wanted_rank=rank)
        for number in range(standbys):
            self.spawn(f"s{number}")

    def spawn(self, name: str, wanted_rank: int | None = None) -> None:
        """Start a training process."""
        self.nodes[name] = Node(self.member_class(identity=identity(name, wanted_rank)))
        self._fresh.add(name)

    # -------------------------------------------------------------------------------- copies

    def clone(self) -> World:
        """Return a copy that shares every process with this one until it changes there."""
        twin = object.__new__(World)
        twin.__dict__.update(self.__dict__)
        for name in _COPIED:
            setattr(twin, name, getattr(self, name).copy())
        twin.ballots = {key: votes.copy() for key, votes in self.ballots.items()}
        twin.store = copy.copy(self.store)
        twin.ghost = self.ghost.clone()
        twin._fresh = set()
        return twin

    def node(self, name: str) -> Node:
        """Return a process to change."""
        node = self.nodes[name]
        if name not in self._fresh:
            self._fresh.add(name)
            node = self.nodes[name] = node.clone()
        node.key = None
        return node

    def office(self, name: str) -> Office:
        """Return a coordinator to change."""
        office = self.offices[name]
        if name not in self._fresh:
            self._fresh.add(name)
            office = self.offices[name] = office.clone()
        office.key = None
        return office

    def key(self) -> int:
        """Return a number that is equal for worlds in which the same can happen.

        Two different worlds have the same number with a chance of 1 to 2**64.
        """
        open_votes = {node.cast for node in self.nodes.values() if node.cast is not None}
        return hash(
            (
                tuple([node.fingerprint() for node in self.nodes.values()]),
                tuple([office.fingerprint() for office in self.offices.values()]),
                self.store.fingerprint(),
                frozenset(self.control.items()),
                frozenset([(name, hashes(queue)) for name, queue in self.up.items() if queue]),
                frozenset([(name, hashes(queue)) for name, queue in self.down.items() if queue]),
                frozenset(self.links.items()),
                self.alike,
                self.cut,
                self.frozen,
                self.exited,
                self.seeking,
                frozenset([(vote, frozenset(self.ballots[vote].items())) for vote in open_votes]),
                tuple(self.budget.items()),
                self.ghost.fingerprint(),
            )
        )

    # ---------------------------------------------------------------------------- coordinators

    def leader(self) -> str | None:
        """Name the coordinator with the highest token that lives and leads."""
        leading = [
            (office.core.job.token, name)
            for name, office in self.offices.items()
            if office.alive and office.core.leading
        ]
        return max(leading)[1] if leading else None

    def tell(self, coordinator: str, event: Event) -> None:
        """Hand an event to a coordinator, and carry out what it decides."""
        office = self.office(coordinator)
        self.carry_out(coordinator, office.core.handle(event, office.now))

    def carry_out(self, coordinator: str, effects: list[coordinator_effects.Effect]) -> None:
        """Do what a coordinator has decided, in its order."""
        office = self.office(coordinator)
        for effect in effects:
            match effect:
                case coordinator_effects.Persist(record=record):
                    if not self.may_save(record.token):
                        self.tell(coordinator, SaveRefused())
                        return
                    self.ghost.saved(self.store.record, record)
                    self.store.record, self.store.key = record, None
                case coordinator_effects.Send(to=to, message=message):
                    self.send_down(coordinator, to, message)
                case coordinator_effects.Broadcast(to=names, message=message):
                    check_restore(self, coordinator, message)
                    for to in names:
                        self.send_down(coordinator, to, message)
                case coordinator_effects.FindCheckpoint():
                    self.seeking |= {coordinator}
                case coordinator_effects.Certify(record=certificate):
                    self.ghost.certified(certificate)
                case coordinator_effects.Notify(notice=notice):
                    self.ghost.noticed(notice)
                case coordinator_effects.StopLeading():
                    for name in [n for n, c in self.control.items() if c == coordinator]:
                        self.disconnect(name)
                    return
        assert office.alive, "a dead coordinator decides nothing"

    def may_save(self, token: int) -> bool:
        """Whether a leader with this token may replace the record."""
        return token >= self.store.token

    def send_down(self, coordinator: str, to: str, message: Message) -> None:
        """Put a message on a connection, if there is one."""
        self.ghost.decided(coordinator, message)
        if self.control.get(to) == coordinator:
            if self.terse and self.is_trifle(to, message):
                self.receive_down(to, message)
                return
            self.down[to] = (*self.down.get(to, ()), packet(message))

    def is_trifle(self, to: str, message: Message) -> bool:
        """Whether it makes no difference when a member receives a message.

        Welcome tells the token, which comes with every command, too. An assignment that is known
        is told again. Whoever is refused is as if it had not been connected yet, until it hears so.
        """
        if self.down.get(to):
            return False
        if isinstance(message, messages.AssignMirrors):
            return self.nodes[to].core.knows(message.revision)
        return isinstance(message, messages.Welcome | messages.Refused)

    def receive_down(self, name: str, message: Message) -> None:
        """Let a member receive a message of its coordinator."""
        core = self.node(name).core
        runtime.perform(self, name, core.on_command(cast("messages.FromCoordinator", message)))

    def answer_checkpoint(self, coordinator: str) -> None:
        """Answer a coordinator that looks for a checkpoint."""
        self.seeking -= {coordinator}
        before = self.offices[coordinator].core.job.checkpoint_before
        step = self.checkpoint
        if step is not None and before is not None and step >= before:
            step = None
        self.tell(coordinator, CheckpointFound(step=step))

    # ----------------------------------------------------------------------------- connections

    def say(self, name: str, message: Message) -> None:
        """Let a member send a message to the coordinator that it is connected to."""
        if name in self.control and not isinstance(message, self.unsaid):
            self.up[name] = (*self.up.get(name, ()), packet(message))

    def connect(self, name: str, coordinator: str) -> None:
        """Connect a member; its Hello is under way."""
        self.control[name] = coordinator
        self.up[name] = (packet(self.nodes[name].core.hello()),)
        self.down[name] = ()
        if self.terse:
            self.deliver_up(name)

    def disconnect(self, name: str) -> None:
        """Break a member's connection: what is under way on it is lost."""
        coordinator = self.control.pop(name)
        self.up.pop(name, None)
        self.down.pop(name, None)
        office = self.offices[coordinator]
        if office.alive and office.core.leading:
            self.tell(coordinator, Disconnected(sender=name))

    def deliver_up(self, name: str) -> None:
        """Let the coordinator receive the next message of a member."""
        message = self.up[name][0].message
        self.up[name] = self.up[name][1:]
        self.tell(self.control[name], Received(sender=name, message=message))

    def ask(self, message: Message) -> None:
        """Let an operator send a request to the leader, at once."""
        leader = self.leader()
        assert leader is not None, "somebody leads"
        if OPERATOR not in self.offices[leader].core.job.observers:
            hello = Hello(protocol=1, job="job", role="operator", name=OPERATOR, pid=1)
            self.tell(leader, Received(sender=OPERATOR, message=hello))
        self.tell(leader, Received(sender=OPERATOR, message=message))

    def report_exit(self, name: str) -> None:
        """Let the supervisor tell the leader that a process has exited."""
        self.exited -= {name}
        self.ask(messages.ProcessExited(name=name, status=-9))

    def expire(self, coordinator: str) -> None:
        """Let so much time pass that whoever is not connected is lost."""
        office = self.office(coordinator)
        office.now += 10.0
        for member in office.core.job.members.values():
            if member.connected:
                member.heard_s = office.now
        office.core.job.next_scan_s = 0.0
        self.tell(coordinator, Tick())

    def pass_time(self, seconds: float) -> None:
        """Let time pass for every coordinator; who is connected and not frozen is heard of."""
        for name in [name for name, office in self.offices.items() if office.alive]:
            office = self.office(name)
            office.now += seconds
            for member in office.core.job.members.values():
                if self.control.get(member.name) == name and member.name not in self.frozen:
                    member.heard_s = office.now
            self.tell(name, Tick())

    def elect(self, coordinator: str) -> None:
        """Make a coordinator the leader; a former one may not have noticed."""
        self.store.token, self.store.key = self.store.token + 1, None
        event = BecameLeader(token=self.store.token, record=self.store.record)
        self.tell(coordinator, event)

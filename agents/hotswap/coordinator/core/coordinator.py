"""The coordinator of a job: state, event and time in, effects out. Pure.

The shell hands in one event at a time and carries out the effects in their order::

    election won             BecameLeader(token, record, election_s)
    message on a connection  Received(sender, message)      beginning with its Hello
    connection closed        Disconnected(sender)
    every few milliseconds   Tick()
    FindCheckpoint answered  CheckpointFound(step)
    Persist refused          SaveRefused()                  drop the effects behind the Persist

What the leader decides is saved before anybody hears of it, under its fencing token. So a leader
that was replaced without noticing can decide nothing: its save is refused. What it may still send
was saved before, and its successor knows it.

Time is ``now`` on one clock that never goes back, s. Nothing else comes from outside: equal events
give equal effects.
"""

from typing import Self

from hotswap.coordinator.core import (
    handover,
    membership,
    mirrors,
    planned,
    recovery,
    requests,
    restoring,
    takeovers,
)
from hotswap.coordinator.core.effects import Effect
from hotswap.coordinator.core.events import (
    BecameLeader,
    CheckpointFound,
    Disconnected,
    Event,
    Received,
    SaveRefused,
    Tick,
)
from hotswap.coordinator.core.fingerprint import fingerprint
from hotswap.coordinator.core.job import Job, JobConfig, JobPhase
from hotswap.coordinator.core.reports import FROM_MEMBER, ignore
from hotswap.coordinator.core.saving import load_record
from hotswap.coordinator.core.status import status_of
from hotswap.coordinator.core.turn import Turn
from hotswap.limits import Limits
from hotswap.wire import messages
from hotswap.wire.messages import Message, Refused

_OVER = (JobPhase.FINISHED, JobPhase.FAILED)


class Coordinator:
    """One coordinator: follows until it is elected, then decides for the job. Not thread-safe."""

    def __init__(self, *, job: str, name: str, world_size: int, limits: Limits) -> None:
        """Begin as a follower; ``name`` is this coordinator's."""
        self._config = JobConfig(job=job, name=name, world_size=world_size, limits=limits)
        self.job = Job(config=self._config)

    @property
    def leading(self) -> bool:
        """Whether this coordinator decides, as far as it knows."""
        return self.job.leading

    def handle(self, event: Event, now: float) -> list[Effect]:
        """Take one event; return what has to be done about it, in order."""
        turn = Turn(self.job, now)
        if isinstance(event, Received):
            # First, because there are thousands of them while an epoch is being left.
            self._receive(turn, event)
        elif isinstance(event, BecameLeader):
            self.job = turn.job = Job(config=self._config)
            _begin_leading(turn, event)
        elif self.job.leading:
            _lead(turn, event)
        if turn.job.swap is not None and turn.job.leading:
            membership.check_newcomer(turn)
        return turn.effects

    def _receive(self, turn: Turn, event: Received) -> None:
        if self.job.leading:
            _received(turn, event.sender, event.message)
        elif isinstance(event.message, messages.Hello):
            detail = f"{self._config.name} does not lead"
            turn.send(event.sender, Refused(code="not_leader", detail=detail))
            turn.close(event.sender)

    def status(self) -> messages.Status:
        """Return a snapshot of the job."""
        return status_of(self.job)

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = object.__new__(type(self))
        twin._config = self._config
        twin.job = self.job.clone()
        return twin

    def fingerprint(self) -> tuple[object, ...]:
        """Return what decides how this coordinator will act, but for the passing of time."""
        return fingerprint(self.job)


def _begin_leading(turn: Turn, event: BecameLeader) -> None:
    job, record = turn.job, event.record
    job.leading = True
    job.token = event.token
    job.election_s = event.election_s
    if record is not None:
        load_record(job, record, now=turn.now)
    turn.persist()
    values = {} if event.election_s is None else {"election_ms": event.election_s * 1000}
    turn.notify("elected", member=job.config.name, values=values)
    if job.phase in _OVER or not job.epoch:
        return
    planned.abort(turn, "the leader has changed")
    if job.dead_epoch >= job.epoch:
        recovery.again(turn)


def _lead(turn: Turn, event: Event) -> None:
    match event:
        case Disconnected():
            membership.disconnected(turn, event.sender)
        case Tick():
            _tick(turn)
        case CheckpointFound():
            restoring.found(turn, event.step)
        case SaveRefused():
            turn.stop_leading("another coordinator leads: the record could not be saved")


def _tick(turn: Turn) -> None:
    if turn.job.phase in _OVER:
        return
    membership.tick(turn)
    planned.check_limits(turn)
    handover.check_limits(turn)
    restoring.check_limits(turn)
    takeovers.write_due(turn)
    mirrors.retell(turn)


def _received(turn: Turn, sender: str, message: Message) -> None:
    job = turn.job
    # What was declared lost is not listened to any more.
    member = job.members.get(sender)
    if isinstance(message, messages.Hello):
        membership.hello(turn, message)
    elif member is not None and member.connected:
        member.heard_s = turn.now
        if job.phase not in _OVER:
            FROM_MEMBER.get(type(message), ignore)(turn, sender, message)
    elif sender in job.observers:
        _from_observer(turn, sender, message)


def _from_observer(turn: Turn, sender: str, message: Message) -> None:
    job = turn.job
    match message:
        case messages.StatusRequest():
            turn.send(sender, status_of(job))
        case _ if job.phase in _OVER:
            pass
        case messages.ProcessExited(name=name, status=status):
            membership.exited(turn, name, status)
        case messages.SwapRequest():
            requests.swap(turn, sender, message)
        case messages.AbortRequest():
            requests.abort(turn, sender, message)
        case messages.PrepareRequest():
            requests.prepare(turn, sender, message)

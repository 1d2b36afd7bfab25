"""A leader and members that exist as messages alone."""

from collections.abc import Iterable
from typing import Literal, TypeVar

from hotswap.coordinator.core import effects
from hotswap.coordinator.core.coordinator import Coordinator
from hotswap.coordinator.core.events import BecameLeader, Disconnected, Event, Received, Tick
from hotswap.coordinator.core.record import Record
from hotswap.limits import Limits
from hotswap.wire import messages
from hotswap.wire.messages import Endpoint, Holding, Message, Notice

LIMITS = Limits()
Kind = TypeVar("Kind", bound=Message)


def endpoint(name: str) -> Endpoint:
    """Return where a member listens."""
    return Endpoint(host="127.0.0.1", store_port=sum(map(ord, name)), mirror_port=1)


def hello(name: str, **fields: object) -> messages.Hello:
    """Return a member's Hello."""
    said: dict[str, object] = {
        "protocol": messages.PROTOCOL_VERSION,
        "job": "job",
        "role": "member",
        "name": name,
        "pid": 1,
        "endpoint": endpoint(name),
        "torch_version": "2.13.0",
    }
    return messages.Hello(**(said | fields))  # type: ignore[arg-type]  # checked by msgspec


def owned(rank: int, version: int, *, pending: bool = False) -> Holding:
    """Return an owner's state."""
    return Holding(rank=rank, version=version, pending=pending, kind="owner")


def mirrored(rank: int, version: int, *, pending: bool = False, since_epoch: int = 1) -> Holding:
    """Return a mirror's state."""
    return Holding(
        rank=rank, version=version, pending=pending, kind="mirror", since_epoch=since_epoch
    )


class Lead:
    """Drives a coordinator and remembers what it has said."""

    def __init__(self, *, ranks: int = 2, name: str = "c0", limits: Limits = LIMITS) -> None:
        """Begin as a follower."""
        self.core = Coordinator(job="job", name=name, world_size=ranks, limits=limits)
        self.now = 100.0
        self.done: list[effects.Effect] = []
        self.record: Record | None = None

    def handle(self, event: Event) -> list[effects.Effect]:
        """Hand in an event; return its effects."""
        done = self.core.handle(event, self.now)
        for effect in done:
            if isinstance(effect, effects.Persist):
                self.record = effect.record
        self.done += done
        return done

    def lead(self, *, token: int = 1, record: Record | None = None) -> None:
        """Win the election."""
        self.handle(BecameLeader(token=token, record=record, election_s=0.25 if record else None))

    def say(self, sender: str, message: Message) -> list[effects.Effect]:
        """Let a member or an observer say something."""
        return self.handle(Received(sender=sender, message=message))

    def observe(self, name: str, role: Literal["supervisor", "operator"]) -> None:
        """Let somebody watch."""
        self.say(name, hello(name, role=role))

    def begin(self, *, ranks: int = 2, standbys: int = 1) -> None:
        """Form a job whose ranks are mirrored and have committed a step."""
        self.lead()
        self.observe("launcher", "supervisor")
        self.observe("person", "operator")
        for number in range(standbys):
            self.say(f"s{number}", hello(f"s{number}"))
        for rank in range(ranks):
            self.say(f"r{rank}", hello(f"r{rank}", wanted_rank=rank))
        for rank, names in list(self.core.job.mirrors.items()):
            for name in names:
                self.say(name, messages.MirrorReport(holding=mirrored(rank, 0)))
        self.commit(0)
        self.done.clear()

    def commit(self, step: int) -> None:
        """Let every owner report a step."""
        job = self.core.job
        for name, rank in list(job.owners.items()):
            self.say(
                name,
                messages.Committed(
                    epoch=job.epoch,
                    rank=rank,
                    step=step,
                    loss=float(rank),
                    step_s=0.1,
                    protected_by=job.mirrors.get(rank, ()),
                ),
            )

    def exit(self, name: str, *, status: int = -9) -> list[effects.Effect]:
        """Let the supervisor report an exit."""
        return self.say("launcher", messages.ProcessExited(name=name, status=status))

    def disconnect(self, name: str) -> list[effects.Effect]:
        """Close a connection."""
        return self.handle(Disconnected(sender=name))

    def wait(self, seconds: float) -> list[effects.Effect]:
        """Let time pass."""
        self.now += seconds
        return self.handle(Tick())

    def unwind(self, name: str, *holdings: Holding, last_epoch: int = 1) -> list[effects.Effect]:
        """Let a member report that it has left every dead epoch."""
        report = messages.Unwound(
            epoch=self.core.job.dead_epoch, holdings=holdings, last_epoch=last_epoch
        )
        return self.say(name, report)

    # ------------------------------------------------------------------------- what it has said

    def told(self, kind: type[Kind], to: str | None = None) -> list[Kind]:
        """Return the messages of one kind, to anybody or to one, since the last ``forget``."""
        found: list[Kind] = []
        for effect in self.done:
            message = getattr(effect, "message", None)
            if isinstance(message, kind) and (to is None or to in receivers(effect)):
                found.append(message)
        return found

    def notices(self, kind: str) -> list[Notice]:
        """Return the notices of one kind."""
        return [
            effect.notice
            for effect in self.done
            if isinstance(effect, effects.Notify) and effect.notice.kind == kind
        ]

    def certificates(self) -> list[effects.Certify]:
        """Return the certificates to be written."""
        return [effect for effect in self.done if isinstance(effect, effects.Certify)]


def receivers(effect: effects.Effect) -> Iterable[str]:
    """Return to whom an effect sends."""
    match effect:
        case effects.Send(to=to):
            return (to,)
        case effects.Broadcast(to=names):
            return names
    return ()


def kinds(done: Iterable[effects.Effect]) -> list[str]:
    """Return what effects are, messages by their own names, without notices."""
    return [
        type(getattr(effect, "message", effect)).__name__
        for effect in done
        if not isinstance(effect, effects.Notify)
    ]

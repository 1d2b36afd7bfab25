"""One coordinator's time as leader: events into the core, its effects out, in their order.

Before each effect the leader looks whether its lease still lasts: a process that was frozen may go
on in the middle of anything.
"""

import time
from collections.abc import Callable

import msgspec
import structlog

from hotswap.channel.streams import message_frame
from hotswap.coordinator.core.coordinator import Coordinator
from hotswap.coordinator.core.effects import (
    Broadcast,
    Certify,
    Close,
    Effect,
    FindCheckpoint,
    Notify,
    Persist,
    Send,
    StopLeading,
)
from hotswap.coordinator.core.events import (
    BecameLeader,
    CheckpointFound,
    Disconnected,
    Event,
    Received,
    SaveRefused,
    Tick,
)
from hotswap.coordinator.core.record import Record
from hotswap.coordinator.election import Elected, Election
from hotswap.coordinator.errands import Errands
from hotswap.coordinator.event_log import EventLog
from hotswap.coordinator.observers import tell
from hotswap.coordinator.peers import Peer, Peers
from hotswap.coordinator.settings import Settings
from hotswap.errors import FencedOff, LeaseDamaged, StateUnwritable
from hotswap.wire.messages import Hello, Message, ToCoordinator

_log = structlog.get_logger()


class Term:
    """Leads, from an election until the lease is over. Needs a running event loop.

    1. ``begin`` once;
    2. ``joined``, ``received``, ``left`` and ``tick`` as things happen; ``ended`` is called at most
       once meanwhile, with the reason, and from then on nothing has any effect;
    3. ``close``.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        core: Coordinator,
        election: Election,
        elected: Elected,
        errands: Errands,
        ended: Callable[[str], None],
    ) -> None:
        """Prepare the time that begins with ``elected``."""
        self._settings = settings
        self._core = core
        self._election = election
        self._elected = elected
        self._ended = ended
        self._over = False
        self._peers = Peers()
        self._errands = errands
        self._events = EventLog(
            settings.job_directory,
            leader=settings.name,
            token=elected.lease.token,
            limits=settings.limits,
        )

    def begin(self) -> None:
        """Go on where the former leader has stopped.

        Raises:
            LeaseDamaged: what it left can't be read.

        """
        saved = self._election.load()
        record = None if saved is None else decode_record(saved)
        self._take(
            BecameLeader(
                token=self._elected.lease.token,
                record=record,
                election_s=self._elected.election_s,
            )
        )

    def joined(self, peer: Peer, hello: Hello) -> None:
        """Take in a connection."""
        self._peers.add(peer)
        self._take(Received(sender=peer.name, message=hello))

    def received(self, peer: Peer, message: ToCoordinator) -> None:
        """Take in a message; one of a connection that was replaced comes too late."""
        if self._peers.get(peer.name) is peer:
            self._take(Received(sender=peer.name, message=message))

    def left(self, peer: Peer) -> None:
        """Learn that a connection has ended."""
        if self._peers.remove(peer):
            self._take(Disconnected(sender=peer.name))

    def tick(self) -> None:
        """Learn that time has passed."""
        self._take(Tick())

    def _found(self, step: int | None) -> None:
        self._take(CheckpointFound(step=step))

    def close(self) -> None:
        """Close every connection, after what was sent."""
        self._over = True
        self._peers.close()
        self._events.close()

    # --------------------------------------------------------------------- events in, effects out

    def _take(self, event: Event) -> None:
        if self._over:
            return
        if not self._election.leads:
            self._end("its lease has expired")
            return
        for effect in self._core.handle(event, now=time.monotonic()):
            if not self._carry_out(effect):
                return

    def _carry_out(self, effect: Effect) -> bool:
        """Do what the core says; False: what stands behind it must not be done."""
        if isinstance(effect, StopLeading):
            self._end(effect.reason)
            return False
        if not self._election.leads:
            self._end("its lease has expired")
            return False
        match effect:
            case Persist():
                return self._persist(effect.record)
            case Send():
                self._send((effect.to,), effect.message)
            case Broadcast():
                self._send(effect.to, effect.message)
            case Notify():
                self._notify(effect)
            case Close():
                self._close(effect.to)
            case FindCheckpoint():
                self._errands.find_checkpoint(effect.before_step, found=self._found)
            case Certify():
                self._errands.certify(effect.record)
            case _:
                raise AssertionError(
                    f"{type(effect).__name__} is an effect that nobody carries out"
                )
        return True

    def _persist(self, record: Record) -> bool:
        try:
            self._election.save(msgspec.msgpack.encode(record))
        except (FencedOff, StateUnwritable) as error:
            _log.warning("save_refused", code=error.code, detail=str(error))
            for effect in self._core.handle(SaveRefused(), now=time.monotonic()):
                # nothing but the end is done in the name of a leader that can't save
                if isinstance(effect, StopLeading):
                    self._end(f"{effect.reason}: {error}")
            return False
        return True

    def _end(self, reason: str) -> None:
        if not self._over:
            self._over = True
            self._ended(reason)

    # ------------------------------------------------------------------------------------ effects

    def _send(self, names: tuple[str, ...], message: Message) -> None:
        frame = message_frame(message, limits=self._settings.limits)
        for name in names:
            peer = self._peers.get(name)
            if peer is not None:
                peer.send(frame)

    def _close(self, name: str) -> None:
        peer = self._peers.get(name)
        if peer is not None:
            peer.close()

    def _notify(self, effect: Notify) -> None:
        tell(
            effect.notice,
            self._peers,
            events=self._events,
            monotonic_s=time.monotonic(),
            limits=self._settings.limits,
        )


def decode_record(saved: bytes) -> Record:
    """Read what a leader has saved.

    Raises:
        LeaseDamaged: it is of another version.

    """
    try:
        return msgspec.msgpack.decode(saved, type=Record)
    except msgspec.DecodeError as error:
        raise LeaseDamaged(
            f"the former leader's record can't be read ({error}): run one version of hotswap for "
            "the whole of a job"
        ) from error

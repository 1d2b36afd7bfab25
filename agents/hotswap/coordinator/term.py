"""One coordinator's time as leader: events into the core, its effects out, in their order.

Before each effect the leader looks whether its lease still lasts: a process that was frozen may go
on in the middle of anything.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime

import msgspec
import structlog

from hotswap.channel.streams import message_frame
from hotswap.coordinator.certificates import certificate_of
from hotswap.coordinator.checkpoints import find_checkpoint
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
from hotswap.coordinator.core.swap_record import SwapRecord
from hotswap.coordinator.election import Elected, Election
from hotswap.coordinator.event_log import EventLog
from hotswap.coordinator.observers import tell
from hotswap.coordinator.peers import Peer, Peers
from hotswap.coordinator.settings import Settings
from hotswap.errors import CertificateConflict, FencedOff, LeaseDamaged, StateUnwritable
from hotswap.transfer.certificate import write_certificate
from hotswap.wire.messages import Hello, Message, ToCoordinator

_log = structlog.get_logger()


class Term:
    """Leads, from an election until the lease is over. Needs a running event loop.

    1. ``begin`` once;
    2. ``joined``, ``received``, ``left`` and ``tick`` as things happen; ``ended`` is called at most
       once meanwhile, with the reason, and from then on nothing has any effect; ``failed`` is
       called with errors that happen in the background;
    3. ``close``.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        core: Coordinator,
        election: Election,
        elected: Elected,
        ended: Callable[[str], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """Prepare the time that begins with ``elected``."""
        self._settings = settings
        self._core = core
        self._election = election
        self._elected = elected
        self._ended = ended
        self._failed = failed
        self._over = False
        self._peers = Peers()
        self._tasks: set[asyncio.Task[None]] = set()
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

    def close(self) -> None:
        """Close every connection, after what was sent."""
        self._over = True
        self._peers.close()
        self._events.close()
        for task in self._tasks:
            task.cancel()

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
                self._in_background(self._find_checkpoint(effect.before_step))
            case Certify():
                self._in_background(self._certify(effect.record))
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

    async def _find_checkpoint(self, before_step: int | None) -> None:
        settings = self._settings
        try:
            step = await asyncio.to_thread(
                find_checkpoint,
                settings.checkpoint_directory,
                job=settings.job,
                world_size=settings.world_size,
                before_step=before_step,
            )
        except OSError as error:
            directory = str(settings.checkpoint_directory)
            _log.error("checkpoints_unreadable", directory=directory, detail=str(error))
            step = None
        self._take(CheckpointFound(step=step))

    async def _certify(self, record: SwapRecord) -> None:
        settings = self._settings
        try:
            certificate = certificate_of(
                record, job=settings.job, now_s=time.monotonic(), now_utc=datetime.now(UTC)
            )
            # it is synced to the disk, which must not hold up the job
            path = await asyncio.to_thread(
                write_certificate, settings.certificate_directory, certificate
            )
        except CertificateConflict as error:
            _log.info("certificate_kept", swap=record.id, detail=str(error))
        except (OSError, ValueError) as error:
            _log.error("certificate_not_written", swap=record.id, detail=str(error))
        else:
            _log.info("certificate_written", swap=record.id, path=str(path))

    def _in_background(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._failed(error)


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

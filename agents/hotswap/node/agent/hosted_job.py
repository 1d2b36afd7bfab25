"""One job on this node: what its leader and its events say, and how far that was reported."""

import asyncio
import fcntl
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import structlog

from hotswap.errors import HotswapError
from hotswap.limits import Limits
from hotswap.node.agent.certificate_feed import read_certificates
from hotswap.node.agent.event_feed import Batch, Position, read_events, stream_of
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.winding import unnamed
from hotswap.node.job_directory import JobDirectory
from hotswap.node.leader import Caller
from hotswap.node.leader_link import LeaderLink, Told
from hotswap.wire.messages import ProcessExited, Shutdown, Status
from hotswap.wire.plane import JobReport

_log = structlog.get_logger()

#: Phases of a job from which it does not come back.
_OVER = frozenset({"finished", "failed"})


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a job."""

    # the plane's id
    job: str
    directory: str
    # "hosted": processes of it were started here; "attached": `hotswap run` started it
    mode: Literal["hosted", "attached"] = "hosted"
    # its events are reported by this agent
    forwards: bool = False
    # how far they were taken in
    position: Position = Position()
    # swaps whose certificates were taken in
    certificates: tuple[str, ...] = ()
    # nothing of it runs here any more, and all was told
    retired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What is new about a job, and what is noted once the plane has taken it in."""

    report: JobReport
    after: Position

    @property
    def urgent(self) -> bool:
        """Whether there is more than steps that went by."""
        return bool(self.report.certificates) or any(
            notice.kind != "committed" for notice in self.report.notices
        )


class HostedJob:
    """One job. Needs a running event loop."""

    def __init__(
        self,
        record: JobRecord,
        *,
        node: str,
        limits: Limits,
        agent_limits: AgentLimits,
        keep: Callable[[JobRecord], None],
    ) -> None:
        """Go on with ``record``; ``keep`` writes a changed one down."""
        self.record = record
        self.directory = JobDirectory(path=Path(record.directory))
        #: when the leader said that the job is over, on CLOCK_MONOTONIC; None: it has not
        self.concluded_s: float | None = None
        #: trainers that the leader names no more, and since when
        self.unnamed_since_s: dict[str, float] = {}
        #: when something of the job was last seen here
        self.seen_s = time.monotonic()
        self._limits = limits
        self._agent_limits = agent_limits
        self._keep = keep
        self._node = node
        self._status: Status | None = None
        self._named: frozenset[str] = frozenset()
        self._link: LeaderLink | None = None
        self._task: asyncio.Task[None] | None = None
        self._lock: int | None = None
        self._looked: tuple[int, int] | None = None

    # ------------------------------------------------------------------------------- its leader

    def watch(self) -> None:
        """Talk to the leader from now on; idempotent, and to be called again and again."""
        if self._task is not None and self._task.done():
            self._fail(self._task)
        if self._task is None:
            self._connect()
        if self.record.mode == "hosted" and self._lock is None:
            self._lock = _hold(self.directory.lock_file)

    def exited(self, member: str, status: int | None) -> None:
        """Tell the leader that a process is certainly gone; an unknown status counts as killed."""
        if self._link is not None:
            self._link.report(ProcessExited(name=member, status=-9 if status is None else status))

    async def close(self) -> None:
        """Stop talking."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=self._limits.answer_s)
            self._task = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _connect(self) -> None:
        try:
            key = self.directory.read_key()
        except (HotswapError, OSError):
            return  # not made yet, or not mounted: tried again soon
        caller = Caller(
            job=self.directory.name,
            directory=self.directory.path,
            key=key,
            role="supervisor",
            name=f"agent-{self._node}",
        )
        self._link = LeaderLink(caller=caller, limits=self._limits, on_message=self._told)
        self._task = asyncio.get_running_loop().create_task(self._link.run())

    def _fail(self, task: asyncio.Task[None]) -> None:
        """Take note of what ended the line to the leader; it is made anew."""
        error = None if task.cancelled() else task.exception()
        _log.error("leader_link_failed", job=self.record.job, detail=repr(error))
        self._task = None

    def _told(self, message: Told) -> None:
        """Take in how the leader says that the job stands."""
        now = time.monotonic()
        over = isinstance(message, Shutdown) or message.phase in _OVER
        if over and self.concluded_s is None:
            self.concluded_s = now
        if isinstance(message, Status):
            self._status = message
            owners = {rank.member for rank in message.ranks if rank.member is not None}
            named = frozenset(owners | set(message.standbys))
            self.unnamed_since_s = unnamed(
                self.unnamed_since_s, named_before=self._named, named=named, now=now
            )
            self._named |= named

    # ------------------------------------------------------------------------------ its events

    def news(self, *, notices_max: int) -> News | None:
        """Return what the plane does not have yet; None: nothing."""
        if not self.record.forwards:
            return None
        batch = self._read(notices_max)
        certificates = read_certificates(
            self.directory.certificates,
            known=self.record.certificates,
            certificates_max=self._agent_limits.certificates_max,
        )
        if not batch.notices and not certificates and self._status is None:
            return None
        report = JobReport(
            job=self.record.job,
            stream=batch.after.stream,
            offset=batch.after.line,
            notices=batch.notices,
            status=self._status,
            certificates=certificates,
        )
        return News(report=report, after=batch.after)

    def untold(self) -> bool:
        """Whether there is something that the plane must not miss and does not have."""
        if not self.record.forwards:
            return False
        known = self.record.certificates
        certificates = read_certificates(
            self.directory.certificates, known=known, certificates_max=1
        )
        return bool(certificates or self._read(1).notices)

    def accepted(self, news: News) -> None:
        """Note that the plane has taken ``news`` in."""
        if self._status is news.report.status:
            self._status = None
        swaps = tuple(each.swap for each in news.report.certificates)
        self._change(
            position=news.after,
            certificates=tuple(dict.fromkeys((*self.record.certificates, *swaps))),
        )

    def retire(self) -> None:
        """Note that nothing of the job is left here to look after."""
        self._change(retired=True)

    def revive(self, *, forwards: bool) -> None:
        """Note that there is something to look after again."""
        self.seen_s = time.monotonic()
        self._change(retired=False, forwards=self.record.forwards or forwards)

    def _read(self, notices_max: int) -> Batch:
        """Read on in the events, unless the file is as it was when there was nothing more."""
        position = self.record.position
        looked = self._look()
        if looked == self._looked and looked is not None:
            return Batch(notices=(), after=position)
        try:
            stream = stream_of(self.directory.read_key())
            batch = read_events(
                self.directory.path, position, stream=stream, notices_max=notices_max
            )
        except (HotswapError, OSError) as error:
            _log.warning("events_unreadable", job=self.record.job, detail=str(error))
            return Batch(notices=(), after=position)
        if not batch.notices:
            self._looked = looked
        return batch

    def _look(self) -> tuple[int, int] | None:
        """Return what changes with the events."""
        try:
            found = (self.directory.path / "events.jsonl").stat()
        except OSError:
            return None
        return found.st_ino, found.st_size

    def _change(self, **changes: object) -> None:
        record = msgspec.structs.replace(self.record, **changes)
        if record != self.record:
            self.record = record
            self._keep(record)


def _hold(lock_file: Path) -> int | None:
    """Hold the lock by which others see that a job runs; None: somebody does already."""
    try:
        descriptor = os.open(lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor

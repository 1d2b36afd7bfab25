"""The processes on this node: started, watched, taken up again after a restart, and ended."""

import asyncio
import secrets
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import structlog

from hotswap.errors import CommandRefused
from hotswap.node.agent.member_record import MemberRecord, key_of, report_of
from hotswap.node.agent.processes import (
    Process,
    adopt,
    find_leader,
    kill_tagged,
    spawn,
    started_at_ticks,
)
from hotswap.node.agent.records import Records
from hotswap.wire.plane import MemberReport

_log = structlog.get_logger()

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A process to start."""

    job: str
    member: str
    role: Literal["rank", "standby", "coordinator"]
    # command that wants it
    command_id: str
    command: Sequence[str]
    environment: Mapping[str, str]
    logs: Path


class Members:
    """Processes by job and name.

    1. ``adopt`` once, within a running event loop: what an earlier agent has started is taken up;
    2. ``start`` and ``stop``; ``on_end`` is called in the loop once per process that has ended;
    3. ``close``: the processes go on, nobody watches them.
    """

    def __init__(
        self, directory: Path, *, ended_max: int, on_end: Callable[[MemberRecord], None]
    ) -> None:
        """Go on with what is in ``directory``; keep ``ended_max`` names of ended processes."""
        self._records = Records(directory / "members", MemberRecord)
        self._ended_max = ended_max
        self._on_end = on_end
        self._processes: dict[str, Process] = {}
        self._changed = asyncio.Condition()
        self._boot_id = _BOOT_ID.read_text(encoding="ascii").strip()
        self._number = max((each.number for each in self._records), default=0)
        self._notices: set[asyncio.Task[None]] = set()

    # ---------------------------------------------------------------------------------- what is

    def of(self, job: str) -> tuple[MemberRecord, ...]:
        """Return the processes of a job, in the order of their start."""
        mine = [record for record in self._records if record.job == job]
        return tuple(sorted(mine, key=lambda record: record.number))

    def get(self, job: str, member: str) -> MemberRecord | None:
        """Return one process; None: none of this name was started here."""
        return self._records.get(key_of(job, member))

    def jobs(self) -> set[str]:
        """Return the jobs of which a process lives here."""
        return {record.job for record in self._records if record.lives}

    def reports(self) -> tuple[MemberReport, ...]:
        """Return what the plane has to be told: what lives, and what has ended since."""
        return tuple(report_of(each) for each in self._records if each.lives or not each.told)

    def tell(self, reports: Iterable[MemberReport]) -> None:
        """Note that the plane has taken these in."""
        for report in reports:
            record = self.get(report.job, report.name)
            if record is not None and not record.lives and report_of(record) == report:
                self._records.put(record.key, msgspec.structs.replace(record, told=True))
        self._forget_oldest()

    # ------------------------------------------------------------------------------ what is done

    def adopt(self) -> None:
        """Take up what an earlier agent has started."""
        for record in self._records:
            if record.lives:
                self._adopt(record)

    def start(self, launch: Launch) -> MemberRecord:
        """Start a process. The same command again returns the process that it has started.

        Raises:
            CommandRefused: the job has had a process of this name.
            JobError: it cannot be started.

        """
        known = self.get(launch.job, launch.member)
        if known is not None and known.command == launch.command_id and known.state != "starting":
            return known
        if known is not None and known.command != launch.command_id:
            raise CommandRefused(
                f"{launch.member} was started here before: take a new name",
                refusal="member_exists",
            )
        self._number += 1
        record = MemberRecord(
            job=launch.job,
            member=launch.member,
            role=launch.role,
            tag=secrets.token_hex(16),
            command=launch.command_id,
            boot_id=self._boot_id,
            number=self._number,
        )
        # noted first: an agent that is killed from here on finds the process by its tag
        self._records.put(record.key, record)
        try:
            process = spawn(
                name=launch.member,
                command=launch.command,
                environment=launch.environment,
                tag=record.tag,
                logs=launch.logs,
            )
        except BaseException:
            # Broad on purpose: whatever kept it from starting, there is no process.
            self._records.remove(record.key)
            raise
        _log.info("member_started", job=launch.job, member=launch.member, pid=process.pid)
        return self._watch(record, process)

    async def stop(self, job: str, names: Iterable[str], *, grace_s: float) -> None:
        """Ask processes to end, and kill those that have not done so after ``grace_s``."""
        keys = [key_of(job, name) for name in names]
        for process in filter(None, map(self._processes.get, keys)):
            process.signal(signal.SIGTERM)
        if not await self._wait(keys, within_s=grace_s):
            for record in filter(None, map(self._records.get, keys)):
                self.kill(record)
            await self._wait(keys, within_s=grace_s)

    def kill(self, record: MemberRecord) -> None:
        """Kill a process and all that it has started."""
        process = self._processes.get(record.key)
        if process is not None:
            _log.warning("member_killed", job=record.job, member=record.member)
            process.signal(signal.SIGKILL)
            kill_tagged(record.tag)

    def close(self) -> None:
        """Watch nothing any more; the processes go on."""
        loop = asyncio.get_running_loop()
        for process in self._processes.values():
            loop.remove_reader(process.pidfd)
            with suppress(OSError):
                process.release()
        self._processes.clear()

    async def _wait(self, keys: Sequence[str], *, within_s: float) -> bool:
        """Wait until these have ended; say whether they have."""
        try:
            async with asyncio.timeout(within_s), self._changed:
                await self._changed.wait_for(lambda: not self._processes.keys() & set(keys))
        except TimeoutError:
            return False
        return True

    def _adopt(self, record: MemberRecord) -> None:
        """Take up one process, or note that it is gone."""
        process = None
        if record.boot_id == self._boot_id:
            pid = record.pid if record.pid is not None else find_leader(record.tag)
            ticks = record.start_ticks
            if pid is not None and ticks is None:
                ticks = started_at_ticks(pid)
            if pid is not None and ticks is not None:
                process = adopt(pid=pid, start_ticks=ticks)
        if process is not None:
            _log.info("member_adopted", job=record.job, member=record.member, pid=process.pid)
            self._watch(record, process)
        elif record.state == "starting":
            self._records.remove(record.key)  # its command is carried out once more
        else:
            self._ended(msgspec.structs.replace(record, state="gone"))

    def _watch(self, record: MemberRecord, process: Process) -> MemberRecord:
        running = msgspec.structs.replace(
            record, state="running", pid=process.pid, start_ticks=process.start_ticks
        )
        self._records.put(record.key, running)
        self._processes[record.key] = process
        asyncio.get_running_loop().add_reader(process.pidfd, self._reap, running)
        return running

    def _reap(self, record: MemberRecord) -> None:
        """Collect a process that has ended."""
        process = self._processes.pop(record.key)
        asyncio.get_running_loop().remove_reader(process.pidfd)
        status = process.collect()
        state: Literal["exited", "gone"] = "gone" if status is None else "exited"
        self._ended(msgspec.structs.replace(record, state=state, exit_status=status))
        kill_tagged(record.tag)  # whatever it has started and left

    def _ended(self, record: MemberRecord) -> None:
        # told before it is written: every millisecond counts for who waits for the lost one
        self._on_end(record)
        self._records.put(record.key, record)
        _log.info(
            "member_ended", job=record.job, member=record.member, exit_status=record.exit_status
        )
        notice = asyncio.get_running_loop().create_task(self._notify())
        self._notices.add(notice)
        notice.add_done_callback(self._notices.discard)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _forget_oldest(self) -> None:
        ended = [each for each in self._records if not each.lives and each.told]
        over = len(ended) - self._ended_max
        for record in sorted(ended, key=lambda each: each.number)[: max(over, 0)]:
            self._records.remove(record.key)

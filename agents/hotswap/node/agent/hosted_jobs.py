"""All jobs on this node, and the processes of each."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hotswap.channel.addresses import withdraw
from hotswap.limits import Limits
from hotswap.node.agent.hosted_job import HostedJob, JobRecord
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.member_record import MemberRecord
from hotswap.node.agent.members import Members
from hotswap.node.agent.records import Records
from hotswap.node.agent.winding import due
from hotswap.node.job_directory import JobDirectory


class HostedJobs:
    """Jobs by the plane's id. Needs a running event loop.

    1. ``begin`` once; 2. ``host`` and ``attach``, and ``look`` again and again; 3. ``close``.
    """

    def __init__(
        self,
        directory: Path,
        *,
        node: str,
        limits: Limits,
        agent_limits: AgentLimits,
        changed: Callable[[], None],
    ) -> None:
        """Go on with what is in ``directory``; ``changed`` is called when there is news."""
        self._records = Records(directory / "jobs", JobRecord)
        self._node = node
        self._limits = limits
        self._agent_limits = agent_limits
        self._changed = changed
        self._jobs: dict[str, HostedJob] = {}
        self._endings: set[asyncio.Task[None]] = set()
        self._being_stopped: set[tuple[str, str]] = set()
        self.members = Members(
            directory, ended_max=agent_limits.ended_members_max, on_end=self._ended
        )

    def __iter__(self) -> Iterator[HostedJob]:
        return iter(tuple(self._jobs.values()))

    def begin(self) -> None:
        """Take up the jobs and processes of an earlier agent."""
        for record in self._records:
            if not record.retired:
                self._open(record)
        self.members.adopt()

    def host(self, job: str, directory: JobDirectory, *, forwards: bool) -> HostedJob:
        """Return the job, a new one where it was not known; its events are reported, or not."""
        return self._take(job, directory, forwards=forwards, attached=False)

    def attach(self, job: str, directory: JobDirectory) -> HostedJob:
        """Report a job that `hotswap run` has started."""
        return self._take(job, directory, forwards=True, attached=True)

    def directory_of(self, job: str) -> JobDirectory | None:
        """Return where a job lives; None: it is not known here."""
        record = self._records.get(job)
        return None if record is None else JobDirectory(path=Path(record.directory))

    def attached_directory_of(self, job: str) -> JobDirectory | None:
        """Return where an attached job lives; None: it was not started by `hotswap run`."""
        record = self._records.get(job)
        attached = record is not None and record.mode == "attached"
        return self.directory_of(job) if attached else None

    def attached_directories(self) -> frozenset[Path]:
        """Return where the jobs live that are looked after."""
        return frozenset(Path(each.directory) for each in self._records if not each.retired)

    def look(self, *, now: float) -> None:
        """Look after every job: its link, and what has had its time."""
        for job in self:
            job.watch()
            winding = due(
                self.members.of(job.record.job),
                concluded_s=job.concluded_s,
                unnamed_since_s=job.unnamed_since_s,
                now=now,
                limits=self._limits,
            )
            for name in winding.kill:
                record = self.members.get(job.record.job, name)
                if record is not None:
                    self.members.kill(record)
            self._stop(job.record.job, winding.stop)

    async def retire(self, *, now: float) -> None:
        """Let go of jobs of which nothing runs here, and nothing is left to tell."""
        living = self.members.jobs()
        for job in self:
            attached_runs = job.record.mode == "attached" and job.directory.is_running()
            if job.record.job in living or attached_runs:
                job.seen_s = now
            elif now - job.seen_s >= self._agent_limits.retire_s and not job.untold():
                del self._jobs[job.record.job]
                job.retire()
                await job.close()
        self._forget_oldest()

    async def close(self) -> None:
        """Watch nothing any more; the processes go on."""
        for ending in tuple(self._endings):
            ending.cancel()
        for job in self:
            await job.close()
        self.members.close()

    def _take(
        self, job: str, directory: JobDirectory, *, forwards: bool, attached: bool
    ) -> HostedJob:
        known = self._jobs.get(job)
        if known is not None:
            known.revive(forwards=forwards)
            return known
        record = self._records.get(job) or JobRecord(
            job=job,
            directory=str(directory.path),
            mode="attached" if attached else "hosted",
            forwards=forwards,
        )
        opened = self._open(record)
        self._records.put(job, record)
        opened.revive(forwards=forwards)
        opened.watch()
        return opened

    def _open(self, record: JobRecord) -> HostedJob:
        job = HostedJob(
            record,
            node=self._node,
            limits=self._limits,
            agent_limits=self._agent_limits,
            keep=lambda changed: self._records.put(changed.job, changed),
        )
        self._jobs[record.job] = job
        return job

    def _ended(self, record: MemberRecord) -> None:
        """Tell the leader, before anything else, that a process is gone."""
        job = self._jobs.get(record.job)
        if job is not None:
            job.exited(record.member, record.exit_status)
            job.seen_s = time.monotonic()
            if record.role == "coordinator":
                withdraw(job.directory.path, name=record.member)
        self._changed()

    def _stop(self, job: str, names: tuple[str, ...]) -> None:
        """Stop processes beside everything else, each one once."""
        todo = [name for name in names if (job, name) not in self._being_stopped]
        if todo:
            self._being_stopped.update((job, name) for name in todo)
            stopping = self.members.stop(job, todo, grace_s=self._limits.stop_grace_s)
            ending = asyncio.get_running_loop().create_task(stopping)
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)

    def _forget_oldest(self) -> None:
        retired = [key for key, record in self._records.items() if record.retired]
        for key in retired[: max(0, len(retired) - self._agent_limits.jobs_max)]:
            self._records.remove(key)

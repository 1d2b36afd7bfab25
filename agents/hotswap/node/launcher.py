"""`hotswap run`: starts the processes of a job, keeps their number, and ends with the job.

The launcher decides nothing about ranks: that is the coordinators' part. It tells the leader of
each process that has ended, at once, and shows what the leader tells.
"""

import asyncio
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hotswap.channel.addresses import withdraw
from hotswap.limits import Limits
from hotswap.node.children import tail
from hotswap.node.command_lines import (
    coordinator_command,
    coordinator_environment,
    trainer_command,
    trainer_environment,
)
from hotswap.node.event_tail import EventTail, notice_of
from hotswap.node.exit_codes import ExitCode
from hotswap.node.fleet import Fleet
from hotswap.node.fleet_values import (
    Action,
    End,
    Kill,
    Kind,
    Start,
    StopRespawning,
    describe_status,
)
from hotswap.node.job_directory import JobDirectory
from hotswap.node.leader import Caller
from hotswap.node.leader_link import LeaderLink, Told
from hotswap.node.nursery import Nursery
from hotswap.node.request import RunRequest
from hotswap.node.run_record import EndState
from hotswap.node.terminal import Display, Moment, Said
from hotswap.node.view import JobView, with_notice, with_status
from hotswap.wire.messages import Notice, ProcessExited, Shutdown, Status

#: Longest time between two looks at the events and at what is due, s; exits are acted on at once.
LOOK_EVERY_S = 0.05
#: Signals that end the run: Ctrl-C, a request, the terminal's end.
HEEDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended."""

    end: End
    exit_code: ExitCode
    # steps that were applied; None is unknown
    committed: int | None

    @property
    def state(self) -> EndState:
        """How the run counts."""
        if self.end.ok:
            return "finished"
        stopped = self.exit_code in {ExitCode.INTERRUPTED, ExitCode.TERMINATED}
        return "stopped" if stopped else "failed"


class Launcher:
    """One run, from its first process to its last. Needs a running event loop."""

    def __init__(
        self,
        *,
        request: RunRequest,
        directory: JobDirectory,
        logs: Path,
        environment: Mapping[str, str],
        limits: Limits,
        display: Display,
    ) -> None:
        """Prepare a run in a directory that this process has claimed."""
        #: where the processes' output goes
        self.logs = logs
        self._request = request
        self._directory = directory
        self._environment = environment
        self._limits = limits
        self._display = display
        self._key = directory.read_key()
        self._view = JobView(world_size=request.plan.ranks)
        self._fleet = Fleet(plan=request.plan, limits=limits, now=time.monotonic())
        self._nursery = Nursery(logs=logs, on_exit=self._exited)
        caller = Caller(
            job=directory.name,
            directory=directory.path,
            key=self._key,
            role="supervisor",
            name=f"supervisor-{os.getpid()}",
        )
        self._link = LeaderLink(caller=caller, limits=limits, on_message=self._told)
        self._events = EventTail(directory.path)
        self._due = asyncio.Event()
        self._signals: list[signal.Signals] = []
        self._ending = False
        self._failure: BaseException | None = None

    async def run(self) -> Outcome:
        """Run the job to its end; when this returns, however it does, no process is left.

        Raises:
            JobError: a process cannot be started.

        """
        loop = asyncio.get_running_loop()
        # what was ignored by whoever started this (nohup, a shell's background job) stays so
        heeded = [each for each in HEEDED if signal.getsignal(each) is not signal.SIG_IGN]
        for number in heeded:
            loop.add_signal_handler(number, self._signalled, number)
        link = loop.create_task(self._link.run())
        link.add_done_callback(self._unlinked)
        try:
            for start in self._fleet.initial():
                self._start(start)
            end = await self._supervise()
            await self._wind_up(end)
            if end.ok:
                self._hear()
        finally:
            self._ending = True
            link.cancel()
            self._nursery.close()
            self._events.close()
            for number in heeded:
                loop.remove_signal_handler(number)
        return self._outcome(end)

    # ------------------------------------------------------------------------------ what happens

    def _exited(self, name: str, status: int) -> None:
        """Tell the leader, before anything else, that a process is gone."""
        self._link.report(ProcessExited(name=name, status=status))
        self._fleet.exited(name, status=status, now=time.monotonic())
        withdraw(self._directory.path, name=name)  # nobody need try a coordinator that is gone
        if not self._ending or status not in {0, -signal.SIGTERM, -signal.SIGKILL}:
            self._say("process_exited", f"{name} {describe_status(status)}", name)
        self._due.set()

    def _unlinked(self, link: asyncio.Task[None]) -> None:
        """Pass on what ended the line to the leader: it ends by an error alone."""
        if not link.cancelled():
            self._failure = link.exception()
            self._due.set()

    def _told(self, message: Told) -> None:
        """Take in how the leader says that the job stands."""
        if isinstance(message, Shutdown):
            self._fleet.concluded(ok=message.ok, reason=message.reason)
        else:
            self._view = with_status(self._view, message)
            self._note_status(message)
            self._display.refresh(self._view)
        self._due.set()

    def _hear(self) -> None:
        """Take in and show what the leaders have written down."""
        for event in self._events.read():
            notice = notice_of(event)
            self._view = with_notice(self._view, notice)
            self._note(notice)
            at = Moment(
                unix_s=datetime.fromisoformat(event.at).timestamp(), monotonic_s=event.monotonic_s
            )
            self._display.notice(notice, self._view, at)

    def _note(self, notice: Notice) -> None:
        """Learn from a notice what concerns the processes."""
        match notice:
            case Notice(kind="member_joined", member=str(member)):
                self._fleet.joined(member)
            case Notice(kind="member_lost", member=str(member)):
                self._fleet.lost(member, now=time.monotonic())
            case Notice(
                kind="swap_completed" | "unplanned_completed", rank=int(rank), member=str(member)
            ):
                self._fleet.owned(rank, member)
            case Notice(kind="epoch_started"):
                self._fleet.began()
            case Notice(kind="finished" | "failed"):
                self._fleet.concluded(ok=notice.kind == "finished", reason=notice.text)

    def _note_status(self, status: Status) -> None:
        """Learn from a snapshot, in case an event could not be written."""
        for rank in status.ranks:
            if rank.member is not None:
                self._fleet.owned(rank.rank, rank.member)
                self._fleet.joined(rank.member)
        if status.epoch > 0:
            self._fleet.began()

    def _signalled(self, number: signal.Signals) -> None:
        """End in order; at the second signal, at once."""
        self._signals.append(number)
        if len(self._signals) == 1:
            self._say("stopping", "stopping; once more kills everything at once")
        else:
            for name in self._nursery.living:
                self._nursery.kill(name)
        self._due.set()

    # ------------------------------------------------------------------------------ what is done

    async def _supervise(self) -> End:
        """Do what is due until the job is over or someone wants it to end."""
        while not self._signals:
            if self._failure is not None:
                raise self._failure
            self._hear()
            for action in self._fleet.due(now=time.monotonic()):
                if isinstance(action, End):
                    return action
                self._carry_out(action)
            self._due.clear()
            try:
                await asyncio.wait_for(self._due.wait(), LOOK_EVERY_S)
            except TimeoutError:
                continue  # time alone can make something due
        return End(ok=False, reason=f"stopped by {self._signals[0].name}")

    def _carry_out(self, action: Action) -> None:
        match action:
            case Start():
                self._start(action, text=f"{action.name} started")
            case Kill():
                self._say(
                    "process_killed",
                    f"{action.name} is killed: {action.reason}",
                    member=action.name,
                )
                self._nursery.kill(action.name)
                self._fleet.killed(action.name)
            case StopRespawning():
                self._say("respawn_stopped", f"no process is replaced any more: {action.reason}")

    def _start(self, start: Start, *, text: str = "") -> None:
        """Start one process; ``text`` tells people."""
        if start.kind is Kind.COORDINATOR:
            command = coordinator_command(self._request, start=start, job=self._directory.path)
            environment = coordinator_environment(inherited=self._environment, key=self._key)
        else:
            command = trainer_command(self._request)
            environment = trainer_environment(
                inherited=self._environment,
                request=self._request,
                start=start,
                job=self._directory.path,
                key=self._key,
            )
        child = self._nursery.start(name=start.name, command=command, environment=environment)
        self._fleet.started(start, now=time.monotonic())
        values = {"pid": float(child.pid)}
        self._display.say(Said(kind="process_started", text=text, member=start.name, values=values))

    async def _wind_up(self, end: End) -> None:
        """Let the trainers leave, then the coordinators; nobody is replaced any more."""
        self._ending = True
        trainers = [record.name for record in self._fleet.trainers()]
        if end.ok:
            await self._leave(trainers)
        await self._nursery.stop(trainers, grace_s=self._limits.stop_grace_s)
        await self._nursery.stop(self._nursery.living, grace_s=self._limits.stop_grace_s)

    async def _leave(self, trainers: list[str]) -> None:
        """Wait for trainers that end by themselves, as long as nobody is in a hurry."""
        deadline_s = time.monotonic() + self._limits.finish_grace_s
        while time.monotonic() < deadline_s and not self._signals:
            if await self._nursery.wait(trainers, within_s=LOOK_EVERY_S):
                return

    def _say(self, kind: str, text: str, member: str | None = None) -> None:
        self._display.say(Said(kind=kind, text=text, member=member))

    def _outcome(self, end: End) -> Outcome:
        """Give the exit code, and show the end of the log that explains a failure."""
        code = ExitCode.DONE if end.ok else ExitCode.FAILED
        if self._signals and not end.ok:
            interrupted = self._signals[0] is signal.SIGINT
            code = ExitCode.INTERRUPTED if interrupted else ExitCode.TERMINATED
        elif end.culprit is not None:
            log = self.logs / f"{end.culprit}.stderr.log"
            lines = tail(log, lines_max=self._limits.log_tail_lines)
            shown = "".join(f"\n  | {line}" for line in lines) or "\n  | (it is empty)"
            self._say("log_tail", f"end of {log}:{shown}", end.culprit)
        return Outcome(end=end, exit_code=code, committed=self._view.committed)

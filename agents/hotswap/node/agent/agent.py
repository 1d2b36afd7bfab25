"""The agent: asks for commands, reports, and looks after the node, each in a loop of its own."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from hotswap.errors import PlaneMessageMalformed, PlaneUnreachable
from hotswap.node.agent.address_mirror import AddressMirror
from hotswap.node.agent.admission import Admitted
from hotswap.node.agent.attachable import discover
from hotswap.node.agent.collector import Collector
from hotswap.node.agent.execution import Execution
from hotswap.node.agent.hosted_jobs import HostedJobs
from hotswap.node.agent.journal import Journal
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.outbox import Outbox, Sample
from hotswap.node.agent.pauses import Pauses
from hotswap.node.agent.plane_client import PlaneClient
from hotswap.node.agent.quarantine import QuarantineFile
from hotswap.node.agent.renewal import Renewer
from hotswap.node.agent.sender import Parcel, Sender
from hotswap.wire.plane import Command, Inventory, NodeReport, Payload, ReportAccepted, Signal

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an agent is made of."""

    client: PlaneClient
    renewer: Renewer
    jobs: HostedJobs
    journal: Journal
    outbox: Outbox
    sender: Sender
    execution: Execution
    quarantine: QuarantineFile
    collector: Collector
    inventory: Inventory
    # where the jobs of this user live
    jobs_directory: Path
    # wishes of jobs to be attached
    wanted: Path
    # copies where coordinators on other machines listen; None: all share their directories
    addresses: AddressMirror | None
    # set whenever there is something to report soon
    awake: asyncio.Event


class Agent:
    """Runs until it is cancelled; the processes of the jobs go on without it."""

    def __init__(self, parts: Parts, *, report_every_s: float, limits: AgentLimits) -> None:
        """Prepare; ``run`` does the rest."""
        self._parts = parts
        self._report_every_s = report_every_s
        self._limits = limits
        self._awake = parts.awake
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None

    async def run(self) -> None:
        """Work; raises what nobody has foreseen, after everything was closed."""
        parts = self._parts
        parts.jobs.begin()
        try:
            for command in parts.journal.unfinished():
                admitted = parts.journal.readmit(command)
                if admitted is not None:
                    self._begin(self._carry_out(command, admitted.payload))
            async with asyncio.TaskGroup() as group:
                for loop in self._loops():
                    group.create_task(loop())
        finally:
            for task in tuple(self._tasks):
                task.cancel()
            await parts.jobs.close()
            await parts.client.close()
            if parts.addresses is not None:
                parts.addresses.close()

    def _loops(self) -> tuple[Callable[[], Coroutine[None, None, None]], ...]:
        return (
            *(self._ask, self._report, self._renew),
            *(self._sample, self._look, self._discover, self._mirror),
        )

    # ---------------------------------------------------------------------------------- commands

    async def _ask(self) -> None:
        """Ask for commands, again and again."""
        pauses = Pauses(first_s=self._limits.retry_s, longest_s=self._limits.retry_s_max)
        while True:
            question = self._parts.sender.question(at=_now().isoformat())
            try:
                answer = await self._parts.client.report(question, wait_s=self._limits.poll_wait_s)
            except (PlaneUnreachable, PlaneMessageMalformed) as error:
                self._note_failure("plane_not_asked", error, pauses)
                await asyncio.sleep(pauses.next_s())
                continue
            pauses.reset()
            if not self._take(answer):
                # a plane that does not hold its answers back, or has not heard yet that its
                # commands have arrived, is not asked in a circle
                await asyncio.sleep(self._limits.look_every_s)

    def _take(self, answer: ReportAccepted) -> bool:
        """Begin what the plane wants; say whether any of it is new."""
        new = False
        for command in answer.commands:
            try:
                admitted = self._parts.journal.take(command, now=_now())
            except OSError as error:
                # what can't be noted is not begun: it comes again
                _log.error("command_not_noted", command=command.id, detail=str(error))
                continue
            if isinstance(admitted, Admitted):
                _log.info("command_taken", command=command.id, kind=command.kind, job=command.job)
                self._begin(self._carry_out(command, admitted.payload))
                new = True
            self._awake.set()
        return new

    async def _carry_out(self, command: Command, payload: Payload) -> None:
        result = await self._parts.execution.carry_out(command, payload)
        self._parts.journal.finish(result)
        self._awake.set()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.error("command_failed_unforeseen", detail=repr(error))
            self._failure = error
            self._awake.set()

    # ----------------------------------------------------------------------------------- reports

    async def _report(self) -> None:
        """Report what is new, as it comes."""
        while True:
            await self._sleep_until_awake()
            if self._failure is not None:
                raise self._failure
            parcel = self._parts.sender.pack(at=_now().isoformat())
            while parcel is not None:
                if not await self._deliver(parcel):
                    break
                parcel = self._parts.sender.pack(at=_now().isoformat())

    async def _deliver(self, parcel: Parcel) -> bool:
        """Send a report until the plane has taken it in; False: it refuses to."""
        pauses = Pauses(first_s=self._limits.retry_s, longest_s=self._limits.retry_s_max)
        while True:
            try:
                answer = await self._parts.client.report(parcel.report)
            except PlaneUnreachable as error:
                self._note_failure("plane_not_told", error, pauses)
                await asyncio.sleep(pauses.next_s())
                continue
            except PlaneMessageMalformed as error:
                _log.error("report_refused", code=error.code, detail=str(error))
                self._parts.sender.refused(parcel)
                await asyncio.sleep(self._limits.retry_s_max)
                return False
            if answer.accepted_sequence >= parcel.report.sequence:
                self._parts.sender.delivered(parcel)
                self._take(answer)
                return True
            self._take(answer)
            await asyncio.sleep(pauses.next_s())

    async def _sleep_until_awake(self) -> None:
        """Wait for something new; what the files of jobs hold shows in a look."""
        try:
            # not wait_for: in Python 3.11 it loses a cancellation that comes with the event
            async with asyncio.timeout(self._limits.look_every_s):
                await self._awake.wait()
        except TimeoutError:
            return
        self._awake.clear()
        await asyncio.sleep(self._limits.report_delay_s)

    async def _renew(self) -> None:
        """Have a certificate that is good."""
        while True:
            pause_s = await self._parts.renewer.look(now=_now())
            await asyncio.sleep(pause_s)

    # ---------------------------------------------------------------------------------- the node

    async def _sample(self) -> None:
        """Look how the node is, at even times."""
        loop = asyncio.get_running_loop()
        next_s = loop.time()
        while True:
            unix_s = _now().timestamp()
            node = NodeReport(
                inventory=self._parts.inventory,
                signals=await self._collect(unix_s),
                quarantine=self._parts.quarantine.reason,
            )
            self._parts.outbox.put(Sample(at=_now().isoformat(), node=node))
            self._awake.set()
            next_s = max(next_s + self._report_every_s, loop.time())
            await asyncio.sleep(next_s - loop.time())

    async def _collect(self, unix_s: float) -> tuple[Signal, ...]:
        """Read the signals; none where an instrument does not answer in time."""
        try:
            async with asyncio.timeout(self._limits.collect_s):
                return await asyncio.to_thread(self._parts.collector.collect, unix_s=unix_s)
        except TimeoutError:
            _log.error("signals_late", waited_s=self._limits.collect_s)
            return ()

    async def _look(self) -> None:
        """Look after jobs and processes."""
        while True:
            now = time.monotonic()
            self._parts.jobs.look(now=now)
            await self._parts.jobs.retire(now=now)
            await asyncio.sleep(self._limits.look_every_s)

    async def _mirror(self) -> None:
        """Copy where coordinators on other machines listen."""
        addresses = self._parts.addresses
        while addresses is not None:
            directories = [job.directory for job in self._parts.jobs]
            await asyncio.to_thread(addresses.look, directories)
            await asyncio.sleep(self._limits.mirror_every_s)

    async def _discover(self) -> None:
        """Look for jobs that could be attached."""
        parts = self._parts
        while True:
            try:
                parts.sender.attachable = await asyncio.to_thread(
                    discover,
                    jobs=parts.jobs_directory,
                    wanted=parts.wanted,
                    known=parts.jobs.attached_directories(),
                )
            except OSError as error:
                _log.warning("jobs_not_discovered", detail=str(error))
            await asyncio.sleep(self._limits.discover_every_s)

    def _note_failure(self, event: str, error: Exception, pauses: Pauses) -> None:
        """Log the first failure of a series."""
        if pauses.failures == 0:
            _log.warning(event, detail=str(error))


def _now() -> datetime:
    return datetime.now(UTC)

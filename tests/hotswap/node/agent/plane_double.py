"""A control plane in memory: takes reports in, gives commands out, remembers what it was told."""

import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from itertools import count

import msgspec

from hotswap.wire.plane import (
    Command,
    CommandResult,
    JobReport,
    MemberReport,
    NodeReport,
    NoticeReport,
    Renewal,
    Renewed,
    Report,
    ReportAccepted,
)

WAIT_S = 30.0


class PlaneDouble:
    """What a plane knows; may be called from any thread."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.nodes: list[NodeReport] = []
        self.notices: dict[tuple[str, str, int], NoticeReport] = {}
        self.jobs: list[JobReport] = []
        self.members: dict[tuple[str, str], MemberReport] = {}
        self.results: dict[str, CommandResult] = {}
        self.answers: list[CommandResult] = []
        self.certificates: dict[str, Mapping[str, object]] = {}
        self._accepted: dict[str, int] = {}
        self._commands: list[Command] = []
        self._changed = threading.Condition()
        self._numbers = count(1)

    def take(self, report: Report, *, wait_s: float = 0.0) -> ReportAccepted:
        """Take a report in, as the plane does."""
        with self._changed:
            if report.sequence > self._accepted.get(report.boot, 0):
                self._accepted[report.boot] = report.sequence
                self._note(report)
            if report.sequence == 0:
                self._changed.wait_for(self._waiting, wait_s)
            self._changed.notify_all()
            return ReportAccepted(
                accepted_sequence=self._accepted.get(report.boot, 0), commands=self._waiting()
            )

    def command(
        self, kind: str, payload: msgspec.Struct, *, job: str | None = "job-1", **fields: object
    ) -> str:
        """Want something; return the id of the command."""
        with self._changed:
            name = str(fields.pop("id", None) or f"command-{next(self._numbers)}")
            built = {"fence": 1, **fields}
            self._commands.append(
                msgspec.convert(
                    {
                        "id": name,
                        "kind": kind,
                        "job": job,
                        "payload": msgspec.to_builtins(payload),
                        **built,
                    },
                    Command,
                )
            )
            self._changed.notify_all()
            return name

    def again(self, command: str) -> None:
        """Want a command once more, as a plane that was restored from a backup would."""
        with self._changed:
            del self.results[command]
            self._changed.notify_all()

    def wait_for(self, condition: Callable[[], object], what: str = "that") -> None:
        """Wait until the plane knows something."""
        with self._changed:
            assert self._changed.wait_for(condition, WAIT_S), f"never heard {what}: {self.told()}"

    def result(self, command: str) -> CommandResult:
        """Wait for the end of a command."""

        def final() -> bool:
            result = self.results.get(command)
            return result is not None and result.state != "accepted"

        self.wait_for(final, f"the end of {command}")
        return self.results[command]

    def heard(self, kind: str, **fields: object) -> bool:
        """Whether a notice of a kind with such fields has come."""
        return any(
            notice.kind == kind and all(getattr(notice, key) == fields[key] for key in fields)
            for notice in self.notices.values()
        )

    def told(self) -> str:
        """Give what the plane knows, for a failing test."""
        kinds = [notice.kind for notice in self.notices.values() if notice.kind != "committed"]
        return f"{self.results} {self.members} {kinds}"

    def _waiting(self) -> tuple[Command, ...]:
        return tuple(each for each in self._commands if each.id not in self.results)

    def _note(self, report: Report) -> None:
        self.reports.append(report)
        if report.node is not None:
            self.nodes.append(report.node)
        self._note_results(report.results)
        for member in report.members or ():
            self.members[member.job, member.name] = member
        for job in report.jobs:
            self.jobs.append(job)
            for notice in job.notices:
                key = (job.job, job.stream, notice.offset)
                assert self.notices.setdefault(key, notice) == notice, "a number was used twice"
            for certificate in job.certificates:
                self.certificates[certificate.swap] = certificate.document

    def _note_results(self, results: Iterable[CommandResult]) -> None:
        for result in results:
            self.answers.append(result)
            self.results[result.command] = result


class MemoryClient:
    """Implements `PlaneClient` on a `PlaneDouble`; ``down`` makes it unreachable."""

    def __init__(self, plane: PlaneDouble) -> None:
        self.plane = plane
        self.error: Exception | None = None
        # answers that get lost on the way
        self.lose_answers = False
        self.closed = False
        # signs what is asked for; None: nothing may be
        self.sign: Callable[[str], str] | None = None
        self.used: list[ssl.SSLContext] = []

    async def renew(self, renewal: Renewal) -> Renewed:
        if self.error is not None:
            raise self.error
        assert self.sign is not None, "nobody should renew"
        return Renewed(certificate_pem=self.sign(renewal.csr_pem))

    async def use(self, context: ssl.SSLContext) -> None:
        self.used.append(context)

    async def report(self, report: Report, *, wait_s: float = 0.0) -> ReportAccepted:
        del wait_s
        if self.error is not None:
            raise self.error
        return self.plane.take(report)

    async def close(self) -> None:
        self.closed = True

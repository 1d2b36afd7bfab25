"""What is reported, and when: everything new, and once more until the plane has it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from hotswap.node.agent.hosted_job import HostedJob, News
from hotswap.node.agent.hosted_jobs import HostedJobs
from hotswap.node.agent.journal import Journal
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.outbox import Outbox, Sample
from hotswap.wire.plane import AttachableJob, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A report, and what is noted once the plane has taken it in."""

    report: Report
    news: tuple[tuple[HostedJob, News], ...]


class Sender:
    """Puts reports together. One is under way at a time: `pack`, then `delivered` or `refused`.

    What the plane must not miss (notices, certificates, results, ends of processes) is read from
    the disk and stays there until `delivered`; samples of the node are in the `Outbox`.
    """

    def __init__(
        self,
        *,
        boot: str,
        jobs: HostedJobs,
        journal: Journal,
        outbox: Outbox,
        limits: AgentLimits,
        clock: Callable[[], float],
    ) -> None:
        """Report as the boot ``boot``; ``clock`` counts seconds."""
        self._boot = boot
        self._jobs = jobs
        self._journal = journal
        self._outbox = outbox
        self._limits = limits
        self._clock = clock
        self._refused = 0
        self._notices_max = limits.notices_max
        self._progress_s = clock()
        # when a sample that had waited was last sent
        self._waited_s = -math.inf
        self.attachable: tuple[AttachableJob, ...] = ()

    def pack(self, *, at: str) -> Parcel | None:
        """Put together what is new at the time ``at``; None: nothing that has to be told now."""
        news = self._news()
        now = self._clock()
        number, sample = self._sample(now) or (None, None)
        results = self._journal.untold()
        ended = any(member.state != "running" for member in self._jobs.members.reports())
        if not (sample or results or ended or self._is_due(news, now)):
            return None
        self._progress_s = now
        report = Report(
            boot=self._boot,
            sequence=self._outbox.number() if number is None else number,
            sent_at=sample.at if sample else at,
            node=sample.node if sample else None,
            members=self._jobs.members.reports(),
            jobs=tuple(each.report for _, each in news),
            results=results,
            attachable=self.attachable,
            dropped=self._outbox.dropped + self._refused,
        )
        return Parcel(report=report, news=news)

    def delivered(self, parcel: Parcel) -> None:
        """Note that the plane has taken a report in."""
        self._journal.tell(parcel.report.results)
        self._jobs.members.tell(parcel.report.members or ())
        for job, news in parcel.news:
            job.accepted(news)
        self._notices_max = self._limits.notices_max

    def refused(self, parcel: Parcel) -> None:
        """Note that the plane can't take a report: its sample is lost, all else comes again."""
        if parcel.report.node is not None:
            self._refused += 1
        # smaller, in case that it was too large
        self._notices_max = max(1, self._notices_max // 2)

    def question(self, *, at: str) -> Report:
        """Return what asks for commands alone."""
        return Report(boot=self._boot, sequence=0, sent_at=at)

    def _sample(self, now: float) -> tuple[int, Sample] | None:
        """Take a sample out: at once the newest, and at their pace those that have waited."""
        if self._outbox.waits:
            if now - self._waited_s < self._limits.catch_up_every_s:
                return None
            self._waited_s = now
        return self._outbox.take()

    def _is_due(self, news: tuple[tuple[HostedJob, News], ...], now: float) -> bool:
        if any(each.urgent for _, each in news):
            return True
        return bool(news) and now - self._progress_s >= self._limits.progress_every_s

    def _news(self) -> tuple[tuple[HostedJob, News], ...]:
        found = []
        left = self._notices_max
        for job in self._jobs:
            news = job.news(notices_max=left) if left else None
            if news is not None:
                left -= len(news.report.notices)
                found.append((job, news))
        return tuple(found)

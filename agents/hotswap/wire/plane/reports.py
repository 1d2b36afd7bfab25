"""What an agent says again and again; see `hotswap.wire.plane`. What is not known is None."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from hotswap.wire.answers import Status
from hotswap.wire.plane.base import PlaneValue
from hotswap.wire.plane.commands import Command, CommandResult
from hotswap.wire.plane.limits import (
    NOTICES_PER_REPORT_MAX,
    FilePath,
    Instant,
    Name,
    Natural,
)
from hotswap.wire.plane.nodes import NodeReport

#: What a process was started as.
MemberRole = Literal["rank", "standby", "coordinator"]
#: "gone": it ended while no agent looked, so that nobody knows its exit status.
MemberState = Literal["running", "exited", "gone"]


class MemberReport(PlaneValue, frozen=True, kw_only=True):
    """One process of a job on this node."""

    # the plane's id of the job
    job: Name
    name: Name
    role: MemberRole
    pid: Natural | None
    state: MemberState
    # negative for a signal
    exit_status: int | None = None


class NoticeReport(PlaneValue, frozen=True, kw_only=True):
    """One line of the job's events; its kinds are those of `hotswap.wire.answers.Notice`."""

    # number of the line, from 0, in ``JobReport.stream``
    offset: Natural
    at: Instant
    # CLOCK_MONOTONIC of the coordinator's machine, s
    monotonic_s: float
    # coordinator that wrote it, and its fencing token
    leader: Name
    token: int
    kind: Name
    epoch: int
    step: int | None = None
    rank: int | None = None
    member: Name | None = None
    text: str = ""
    # a value that is no number (a loss that diverged) is None
    values: Mapping[str, float | None] = msgspec.field(default_factory=dict)


class CertificateReport(PlaneValue, frozen=True, kw_only=True):
    """The certificate of one change of owner, as its file has it."""

    # the coordinator's id of the swap
    swap: Name
    # fields of `hotswap.transfer.certificate.Certificate`
    document: dict[str, object]


class JobReport(PlaneValue, frozen=True, kw_only=True):
    """What is new about a job whose directory this node holds.

    Several agents may report one job: a notice is the same where ``(job, stream, offset)`` is.
    """

    # the plane's id of the job
    job: Name
    # the numbering of ``offset``: a new one begins with a new run of the job
    stream: Name
    # number of the line after the last one in ``notices``: where the agent goes on
    offset: Natural
    notices: Annotated[
        tuple[NoticeReport, ...], msgspec.Meta(max_length=NOTICES_PER_REPORT_MAX)
    ] = ()
    # the leader's own snapshot; None: no leader has answered since the report before
    status: Status | None = None
    certificates: tuple[CertificateReport, ...] = ()


class AttachableJob(PlaneValue, frozen=True, kw_only=True):
    """A job that runs on this node without the plane: started by `hotswap run`."""

    name: Name
    directory: FilePath
    # None where the run has not said it
    world_size: Natural | None = None
    standbys: Natural | None = None
    script: FilePath | None = None
    started_unix_s: float | None = None
    # whoever started it asked for it (`hotswap run --agent`)
    wanted: bool = False


class Report(PlaneValue, frozen=True, kw_only=True):
    """Everything that is new on the node."""

    # changes with each start of the agent
    boot: Name
    # counts from 1 within a boot; 0: a question for commands alone, all else is empty
    sequence: Natural
    sent_at: Instant
    # None: the node has not been looked at
    node: NodeReport | None = None
    # every process that runs, and those that ended since the last accepted report; None: not looked
    members: tuple[MemberReport, ...] | None = None
    jobs: tuple[JobReport, ...] = ()
    results: tuple[CommandResult, ...] = ()
    # jobs that could be attached; None: not looked
    attachable: tuple[AttachableJob, ...] | None = None
    # reports that were given up as the plane was away for too long, since the boot; no notice and
    # no result is among them
    dropped: Natural = 0


class ReportAccepted(PlaneValue, frozen=True, kw_only=True):
    """The plane's answer."""

    # sequence of the newest report that was taken in within this boot; 0: none yet
    accepted_sequence: Natural
    commands: tuple[Command, ...] = ()

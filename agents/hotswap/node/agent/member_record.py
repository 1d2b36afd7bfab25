"""What is kept of each process that was started here. Pure."""

from typing import Literal

import msgspec

from hotswap.wire.plane import MemberReport


class MemberRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One process, from before its start until its end was told."""

    # the plane's id of the job
    job: str
    # name in the job
    member: str
    role: Literal["rank", "standby", "coordinator"]
    # in the environment of the process and of all that it starts
    tag: str
    # command that wanted it
    command: str
    # boot of the machine
    boot_id: str
    # order of the start, over all processes of this agent
    number: int
    # None: it is about to be started
    pid: int | None = None
    start_ticks: int | None = None
    # "gone": it ended while no agent looked
    state: Literal["starting", "running", "exited", "gone"] = "starting"
    # negative for a signal
    exit_status: int | None = None
    # the plane has taken its end in
    told: bool = False

    @property
    def key(self) -> str:
        """Name of the record."""
        return key_of(self.job, self.member)

    @property
    def lives(self) -> bool:
        """Whether there is a process, or is about to be."""
        return self.state in {"starting", "running"}


def key_of(job: str, member: str) -> str:
    """Return the name under which a process is kept."""
    return f"{job}@{member}"


def report_of(record: MemberRecord) -> MemberReport:
    """Return what the plane is told of a process."""
    return MemberReport(
        job=record.job,
        name=record.member,
        role=record.role,
        pid=record.pid,
        state="running" if record.lives else "exited" if record.state == "exited" else "gone",
        exit_status=record.exit_status,
    )

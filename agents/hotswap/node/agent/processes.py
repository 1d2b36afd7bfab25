"""Processes that outlive the agent, and that it knows again after a restart.

Each leads a session of its own and carries a tag in its environment, as does whatever it starts. A
process is known by its pid and the time it was started at, so that a pid that was given to somebody
else meanwhile is not taken for it; one whose pid could not be noted any more is found by its tag.
"""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hotswap.errors import JobError

#: Variable that carries the tag.
TAG: Final = "HOTSWAP_AGENT_TAG"

_PROC: Final = Path("/proc")
# Python ignores them, and what is ignored stays so in a new program
_DEFAULTS: Final = (signal.SIGPIPE, signal.SIGXFSZ)
#: Where the time of the start stands in /proc/PID/stat, behind the name in brackets.
_START_FIELD: Final = 19


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that runs, or has just ended."""

    pid: int
    # when it was started, in clock ticks since the machine was
    start_ticks: int
    # readable as soon as the process has ended
    pidfd: int
    # it was started by this agent, so that its exit status can be had
    own: bool

    def signal(self, number: signal.Signals) -> None:
        """Signal the process itself, if it still lives."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, number)

    def release(self) -> None:
        """Let the process go on unwatched."""
        os.close(self.pidfd)

    def collect(self) -> int | None:
        """Return the exit status of the ended process, negative for a signal; None: unknown.

        Blocks until an own process has ended. Its pidfd is closed.
        """
        try:
            if not self.own:
                return None
            ended = os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED)
            if ended is None:
                return None
            killed = ended.si_code in {os.CLD_KILLED, os.CLD_DUMPED}
            return -ended.si_status if killed else ended.si_status
        finally:
            os.close(self.pidfd)


def spawn(
    *, name: str, command: Sequence[str], environment: Mapping[str, str], tag: str, logs: Path
) -> Process:
    """Start a process with output into ``NAME.stdout.log`` and ``NAME.stderr.log``.

    Raises:
        JobError: the process cannot be started, or its logs cannot be written.

    """
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(logs / f"{name}.stdout.log"), append, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, str(logs / f"{name}.stderr.log"), append, 0o600),
    ]
    try:
        pid = os.posix_spawn(
            command[0],
            list(command),
            dict(environment) | {TAG: tag},
            file_actions=files,
            setsid=True,
            setsigdef=_DEFAULTS,
        )
    except OSError as error:
        raise JobError(
            f"cannot start {name}: {error.strerror} ({error.filename or command[0]}); see whether "
            f"the disk is full, whether {logs} can be written, and how many processes this user "
            "may have"
        ) from error
    # not reaped yet, so the pid is its own
    return Process(
        pid=pid, start_ticks=started_at_ticks(pid) or 0, pidfd=os.pidfd_open(pid), own=True
    )


def adopt(*, pid: int, start_ticks: int) -> Process | None:
    """Take up a process that an earlier agent has started; None: it has ended."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    # looked at after it was opened: what is found now can't change owner any more
    if started_at_ticks(pid) != start_ticks or _is_zombie(pid):
        os.close(pidfd)
        return None
    return Process(pid=pid, start_ticks=start_ticks, pidfd=pidfd, own=False)


def started_at_ticks(pid: int) -> int | None:
    """Return when a process was started, in clock ticks since the machine was; None: it is gone."""
    fields = _stat(pid)
    return None if fields is None else int(fields[_START_FIELD])


def tagged(tag: str) -> Iterator[int]:
    """Yield the pids of the processes of this user that carry ``tag``."""
    mark = f"{TAG}={tag}".encode()
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it ended meanwhile, or belongs to somebody else
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    yield int(entry.name)


def find_leader(tag: str) -> int | None:
    """Return the pid of the process that was started with ``tag``; None: there is none."""
    for pid in tagged(tag):
        with suppress(ProcessLookupError):
            if os.getsid(pid) == pid:
                return pid
    return None


def kill_tagged(tag: str) -> None:
    """Kill a process and everything that it has started."""
    for pid in tagged(tag):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _is_zombie(pid: int) -> bool:
    fields = _stat(pid)
    return fields is None or fields[0] == b"Z"


def _stat(pid: int) -> list[bytes] | None:
    """Return the fields of /proc/PID/stat behind the name, which may hold anything."""
    try:
        return (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None

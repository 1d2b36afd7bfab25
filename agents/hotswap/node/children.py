"""Child processes that never outlive their parent, and are known to be gone at once.

Each child leads a session of its own, so that Ctrl-C in the terminal reaches the launcher alone,
and the kernel kills it when the launcher dies, however it dies. A pidfd tells of its end without
polling; whatever it started is killed before it is reaped, while its process id, and with it the
id of its process group, cannot have been given to anyone else.
"""

import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hotswap.errors import JobError

_PR_SET_PDEATHSIG = 1
# loaded here, as loading a library between fork and exec is not safe
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A started process."""

    name: str
    process: subprocess.Popen[bytes]
    # readable as soon as the process has ended
    pidfd: int
    stdout_log: Path
    stderr_log: Path

    @property
    def pid(self) -> int:
        """Process id, which is also that of its group and session."""
        return self.process.pid

    def signal(self, number: signal.Signals) -> None:
        """Signal the process itself, if it still lives."""
        # Popen's own method would reap it, and its descendants would be left
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, number)

    def kill(self) -> None:
        """Kill the process and everything in its group."""
        _kill_group(self.pid)

    def reap(self) -> int:
        """Collect the exit status of the ended process, negative for a signal.

        Blocks until the process has ended.
        """
        os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED | os.WNOWAIT)
        _kill_group(self.pid)
        status = self.process.poll()
        assert status is not None, "it has ended, and nobody else reaps it"
        os.close(self.pidfd)
        return status


def spawn(
    *, name: str, command: Sequence[str], environment: Mapping[str, str], logs: Path
) -> Child:
    """Start a process with output into ``NAME.stdout.log`` and ``NAME.stderr.log``.

    Raises:
        JobError: the process cannot be started, or its logs cannot be written.

    """
    stdout_log, stderr_log = logs / f"{name}.stdout.log", logs / f"{name}.stderr.log"
    parent = os.getpid()

    def die_with_parent() -> None:
        """Run in the child, before the program: nothing but system calls."""
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # the parent died before the call took effect
            os._exit(1)

    try:
        with stdout_log.open("ab") as stdout, stderr_log.open("ab") as stderr:
            process = subprocess.Popen(  # noqa: S603 - the user's own command
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                # The launcher has one thread, so nothing can hold a lock over the fork.
                preexec_fn=die_with_parent,  # noqa: PLW1509 - see above
            )
    except OSError as error:
        raise JobError(
            f"cannot start {name}: {error.strerror} ({error.filename or command[0]}); see whether "
            "the disk is full and how many processes this user may have"
        ) from error
    return Child(
        name=name,
        process=process,
        pidfd=os.pidfd_open(process.pid),
        stdout_log=stdout_log,
        stderr_log=stderr_log,
    )


def tail(path: Path, *, lines_max: int, nbytes_max: int = 64 * 1024) -> tuple[str, ...]:
    """Read the last lines of a log; none where there is no log."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - nbytes_max))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ()
    return tuple(text.splitlines()[-lines_max:])


def _kill_group(group: int) -> None:
    """Kill what is left of a process group."""
    with suppress(ProcessLookupError):  # nothing is left
        os.killpg(group, signal.SIGKILL)

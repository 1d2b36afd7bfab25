"""Processes of a stack and of the jobs on it: found, stopped, killed, and seen to come back."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dev.stack import state_file
from dev.stack.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

#: From the end of a service until it runs again: its supervisor waits longer each time, s.
BACK_S: Final = 30.0
#: From a signal until the process is gone, s.
GONE_S: Final = 10.0


def pid_of_member(job: Path, member: str) -> int:
    """Return the process of a member or coordinator of a job.

    Raises:
        LookupError: there is none.

    """
    marks = (f"HOTSWAP_MEMBER={member}".encode(), f"HOTSWAP_JOB_DIRECTORY={job}".encode())
    words = (b"--name", member.encode())
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        with suppress(OSError):
            if set(marks) <= set((process / "environ").read_bytes().split(b"\0")):
                return int(process.name)
            command = (process / "cmdline").read_bytes().split(b"\0")
            if str(job).encode() in command and set(words) <= set(command):
                return int(process.name)
    raise LookupError(f"no process of {member} in {job}")


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process (SIGSTOP); one that is killed meanwhile stays so."""
    descriptor = os.pidfd_open(pid)
    signal.pidfd_send_signal(descriptor, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, signal.SIGCONT)
        os.close(descriptor)


def kill_process(pid: int) -> None:
    """Kill a process, and wait until it is gone."""
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not _lives(pid), f"the end of {pid}", wait_s=GONE_S)


def kill_service(directory: Path, name: str) -> None:
    """Kill a service, and wait until it was started again."""
    before = _state(directory)
    state_file.kill(directory, name)

    def again() -> bool:
        now = _state(directory)
        return now.restarts[name] > before.restarts[name] and name in now.processes

    wait_until(again, f"another {name}", wait_s=BACK_S)


def pid_of_service(directory: Path, name: str) -> int:
    """Return the process of a service that runs."""
    return _state(directory).processes[name]


def _state(directory: Path) -> state_file.StackState:
    state = state_file.read(directory)
    assert state is not None, "the stack runs"
    return state


def _lives(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    # after the name, in parentheses: the state; a zombie has ended
    return text.rpartition(")")[2].split()[0] != "Z"

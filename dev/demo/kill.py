"""Pulls a plug: kills the process that trains a rank of the demo's job (``make demo-kill``)."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dev.demo.world import JOB, person_of
from dev.stack import state_file
from dev.stack.plane import ROOT
from dev.stack.waiting import wait_until

if TYPE_CHECKING:
    from dev.demo.client import Person

#: Longest wait for somebody to have taken over, s.
TAKEN_S: Final = 60.0


def main() -> None:
    """Kill, and say who took over."""
    parser = argparse.ArgumentParser(prog="make demo-kill", description=__doc__)
    parser.add_argument("--directory", type=Path, default=ROOT / "runs" / "demo")
    parser.add_argument("--rank", type=int, default=0)
    options = parser.parse_args()
    state = state_file.read(options.directory)
    if state is None:
        sys.exit("The demo does not run: make demo")
    with person_of(options.directory, state.web, "otto") as otto:
        job = next((row for row in otto.every("jobs") if row["name"] == JOB), None)
        if job is None:
            sys.exit(f"There is no job {JOB} yet.")
        owner = owner_of(otto, job["id"], options.rank)
        pid = pid_of(otto, job["id"], owner["member"])
        began_s = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        print(f"Killed {owner['member']} (process {pid}), which trained rank {options.rank}.")

        def taken() -> dict[str, Any] | None:
            found = owner_of(otto, job["id"], options.rank)
            return None if found["member"] in (None, owner["member"]) else found

        new = wait_until(taken, "another owner of the rank", wait_s=TAKEN_S, every_s=0.1)
        print(
            f"{new['member']} has it; the plane shows it {time.monotonic() - began_s:.1f} s later."
        )
        print(f"Look: {state.web}/jobs/{job['id']}")


def owner_of(otto: Person, job: str, rank: int) -> dict[str, Any]:
    """Return the present owner of a rank."""
    rows = otto.get(f"jobs/{job}/ranks")
    return dict(next(row for row in rows if row["rank"] == rank))


def pid_of(otto: Person, job: str, member: str) -> int:
    """Return the process of a member on this machine."""
    rows = otto.every(f"jobs/{job}/members", limit=200)
    row = next((row for row in rows if row["name"] == member and row["state"] == "running"), None)
    # a process id may have been given to somebody else since it was reported
    told = f"HOTSWAP_MEMBER={member}".encode()
    with suppress(OSError):
        if row and told in Path(f"/proc/{row['pid']}/environ").read_bytes().split(b"\0"):
            return int(row["pid"])
    raise SystemExit(f"{member} does not run any more")


if __name__ == "__main__":
    main()

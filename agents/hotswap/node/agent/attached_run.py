"""Ends a job that `hotswap run` has started: its launcher does that in order, once it is asked."""

import asyncio
import os
import signal
import time
from contextlib import suppress

from hotswap.errors import CommandRefused
from hotswap.node.job_directory import JobDirectory
from hotswap.node.run_record import describe

#: Between two looks whether it has ended, s.
LOOK_EVERY_S = 0.05


async def stop_run(directory: JobDirectory, *, grace_s: float) -> None:
    """Ask the launcher to end its job; after ``grace_s``, to end it at once.

    Raises:
        CommandRefused: nobody knows the launcher, or it can't be ended.

    """
    description = describe(directory)
    if not directory.is_running():
        return
    if description is None:
        raise CommandRefused(
            f"nothing in {directory.path} tells which process runs the job: stop it where it was "
            "started",
            refusal="unknown_member",
        )
    # the launcher ends in order at the first signal, and at once at the second
    for _ in range(2):
        with suppress(ProcessLookupError):
            os.kill(description.pid, signal.SIGTERM)
        deadline_s = time.monotonic() + max(grace_s, LOOK_EVERY_S)
        while time.monotonic() < deadline_s:
            if not directory.is_running():
                return
            await asyncio.sleep(LOOK_EVERY_S)
    raise CommandRefused(
        f"the launcher of {directory.name} (process {description.pid}) does not end: see its "
        "terminal",
        refusal="still_running",
    )

"""``python -m hotswap.coordinator.server``: one coordinator of a job, in a process of its own.

Log lines are JSON objects on standard error. SIGTERM and SIGINT end it in order: it stops leading
first, so that another one can lead at once.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence

import structlog

from hotswap.coordinator.candidate import Candidate
from hotswap.coordinator.settings import Settings, read_settings
from hotswap.coordinator.shared import open_shared
from hotswap.errors import HotswapError
from hotswap.logs import log_as_json

_log = structlog.get_logger()


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run one coordinator; return its exit status: 0 after an orderly end, 1 after an error."""
    log_as_json()
    try:
        asyncio.run(serve(read_settings(arguments, environment)))
    except HotswapError as error:
        _log.error("coordinator_failed", code=error.code, detail=str(error))
        return 1
    except OSError as error:
        _log.error("coordinator_failed", code="os_error", detail=str(error))
        return 1
    return 0


async def serve(settings: Settings) -> None:
    """Take part in the election of a job's leader until a signal ends it.

    Raises:
        PortInUse: another process listens on the port.
        LeaseDamaged: nobody can tell any more who leads.
        StateUnwritable: the server that the coordinators share does not answer.

    """
    loop = asyncio.get_running_loop()
    shared = await open_shared(settings)
    try:
        candidate = Candidate(settings, shared.store, clock=shared.clock, book=shared.book)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, candidate.stop)
        await candidate.run()
    finally:
        shared.close()


if __name__ == "__main__":
    # ast-grep-ignore: environment-at-the-edge - this is the edge: a process starts here
    sys.exit(main(sys.argv[1:], os.environ))

"""What a leader has done beside its work, because the disk may be slow: nothing waits for it.

It is done to its end even if another coordinator leads meanwhile: a certificate tells what has
happened, whoever leads.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime

import structlog

from hotswap.coordinator.certificates import certificate_of
from hotswap.coordinator.checkpoints import find_checkpoint
from hotswap.coordinator.core.swap_record import SwapRecord
from hotswap.coordinator.settings import Settings
from hotswap.errors import CertificateConflict
from hotswap.transfer.certificate import write_certificate

_log = structlog.get_logger()


class Errands:
    """Looks for checkpoints and writes certificates, in threads. Needs a running event loop."""

    def __init__(self, settings: Settings, *, failed: Callable[[BaseException], None]) -> None:
        """Tell ``failed`` of errors that nobody has foreseen."""
        self._settings = settings
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()

    def find_checkpoint(
        self, before_step: int | None, *, found: Callable[[int | None], None]
    ) -> None:
        """Look for the newest complete checkpoint of an earlier step; tell ``found`` its step."""
        self._begin(self._find_checkpoint(before_step, found))

    def certify(self, record: SwapRecord) -> None:
        """Write the certificate of a swap; one that is there already stays."""
        self._begin(self._certify(record))

    async def close(self) -> None:
        """Let what is under way come to its end, at most ``farewell_s``."""
        tasks = tuple(self._tasks)
        if tasks:
            await asyncio.wait(tasks, timeout=self._settings.limits.farewell_s)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _find_checkpoint(
        self, before_step: int | None, found: Callable[[int | None], None]
    ) -> None:
        settings = self._settings
        try:
            step = await asyncio.to_thread(
                find_checkpoint,
                settings.checkpoint_directory,
                job=settings.job,
                world_size=settings.world_size,
                before_step=before_step,
            )
        except OSError as error:
            directory = str(settings.checkpoint_directory)
            _log.error("checkpoints_unreadable", directory=directory, detail=str(error))
            step = None
        found(step)

    async def _certify(self, record: SwapRecord) -> None:
        settings = self._settings
        try:
            certificate = certificate_of(
                record, job=settings.job, now_s=time.monotonic(), now_utc=datetime.now(UTC)
            )
            path = await asyncio.to_thread(
                write_certificate, settings.certificate_directory, certificate
            )
        except CertificateConflict as error:
            _log.info("certificate_kept", swap=record.id, detail=str(error))
        except (OSError, ValueError) as error:
            _log.error("certificate_not_written", swap=record.id, detail=str(error))
        else:
            _log.info("certificate_written", swap=record.id, path=str(path))

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._failed(error)

"""Micro-checkpoints of one rank, written beside the training.

A capture copies the state into host memory at a step boundary; a thread then digests and writes
it. What goes wrong with the disk never reaches the step: `CheckpointWriter.status` tells it.
"""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import structlog
from torch import Tensor

from hotswap.checkpoint.layout import SetKey
from hotswap.checkpoint.sets import prune
from hotswap.checkpoint.staging import Staging
from hotswap.checkpoint.store import CapturedState, RankStore, WriteFile
from hotswap.errors import CheckpointError, CheckpointFailed
from hotswap.limits import Limits
from hotswap.transfer.atomic import write_atomically

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterStatus:
    """What a writer has done so far; None: not known yet."""

    # captures copied into host memory
    captured: int = 0
    # of these, written and valid on the disk
    written: int = 0
    # of these, not written; `last_error` says why
    failed: int = 0
    # captures not taken, because the one before was still being written
    skipped: int = 0
    # newest one that is on the disk
    last_written: SetKey | None = None
    # size of its tensor file
    last_written_nbytes: int | None = None
    # what went wrong last; None once a later checkpoint has gone well
    last_error: CheckpointError | None = None
    # what the last capture cost the step, milliseconds
    last_capture_ms: float | None = None
    # digests, writing and pruning of the last one, milliseconds
    last_write_ms: float | None = None


class CheckpointWriter:
    """Writes the micro-checkpoints of one rank into a directory that all ranks of the job share.

    One capture is held at most: while it is being written, further ones are skipped and counted,
    never queued. Ranks that skip different steps never complete a set, so the vote of a step should
    carry `idle`, and a step be captured where every rank was idle.

    Call order: `capture` any number of times, from the thread that trains; then `close` once.
    `idle` and `status` may be read from any thread.
    """

    def __init__(
        self,
        *,
        directory: Path,
        job: str,
        rank: int,
        world_size: int,
        limits: Limits,
        keep: int = 2,
        write: WriteFile = write_atomically,
    ) -> None:
        """Prepare a writer; files and its thread come with the first capture.

        The newest ``keep`` complete sets stay; rank 0 removes older ones. ``write`` puts a file
        on the disk. Raises `ValueError` when ``keep`` is below 1.
        """
        if keep < 1:
            message = f"keep is {keep}; at least one complete checkpoint has to stay"
            raise ValueError(message)
        self._store = RankStore(
            directory=directory, job=job, rank=rank, world_size=world_size, write=write
        )
        self._keep = keep
        self._limits = limits
        self._staging = Staging()
        self._changed = threading.Condition()
        # The attributes below are guarded by `_changed`.
        self._status = WriterStatus()
        self._pending: CapturedState | None = None
        self._closing = False
        self._thread: threading.Thread | None = None

    @property
    def idle(self) -> bool:
        """Whether a capture would be taken now."""
        with self._changed:
            return self._pending is None and not self._closing

    @property
    def status(self) -> WriterStatus:
        """What has been done so far."""
        with self._changed:
            return self._status

    def capture(
        self,
        *,
        step: int,
        epoch: int,
        units: Mapping[str, Tensor],
        buffers: Mapping[str, Tensor],
        small_state: bytes,
    ) -> bool:
        """Copy the state into host memory and have it written; return whether it was taken.

        To be called at the boundary after ``step`` steps were applied, by every rank. When this
        returns, the tensors may change again. False: the one before is still being written, or
        the writer is closed; nothing was copied. The disk can make this neither wait nor fail.

        Raises `UnsupportedTensor` for a tensor that a checkpoint cannot hold, and `ValueError` when
        a name is both a unit and a buffer.
        """
        shared = units.keys() & buffers.keys()
        if shared:
            message = f"both unit and buffer: {', '.join(sorted(shared))}; rename one"
            raise ValueError(message)
        if not self.idle:
            with self._changed:
                self._status = replace(self._status, skipped=self._status.skipped + 1)
            return False
        begun = time.perf_counter()
        self._staging.capture({**units, **buffers})
        copies = self._staging.tensors()
        state = CapturedState(
            key=SetKey(step=step, epoch=epoch),
            units={name: copies[name] for name in units},
            buffers={name: copies[name] for name in buffers},
            small_state=small_state,
            file_chunks=tuple(self._staging.file_chunks(small_state)),
        )
        self._hand_over(state, capture_ms=_since_ms(begun))
        return True

    def close(self) -> bool:
        """End the thread once the pending checkpoint is written; return whether it is.

        Waits ``limits.checkpoint_close_s`` at most. False: the disk took longer; the write is
        abandoned (its set stays unfinished), and `status` says so.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is None:
            return True
        thread.join(self._limits.checkpoint_close_s)
        if not thread.is_alive():
            return True
        error = CheckpointFailed(
            "a checkpoint was not written within checkpoint_close_s="
            f"{self._limits.checkpoint_close_s}: see whether the disk is stuck"
        )
        with self._changed:
            self._status = replace(self._status, last_error=error)
        return False

    def wait_idle(self, *, timeout_s: float) -> bool:
        """Wait until nothing is being written; False when that took longer than ``timeout_s``."""
        with self._changed:
            return self._changed.wait_for(lambda: self._pending is None, timeout_s)

    def _hand_over(self, state: CapturedState, *, capture_ms: float) -> None:
        with self._changed:
            self._pending = state
            self._status = replace(
                self._status,
                captured=self._status.captured + 1,
                last_capture_ms=capture_ms,
            )
            if self._thread is None:
                # A daemon, so that a stuck disk cannot keep a finished training from ending.
                self._thread = threading.Thread(
                    target=self._run, name="hotswap-checkpoint", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending is not None or self._closing)
                state = self._pending
            if state is None:
                return
            self._write(state)

    def _write(self, state: CapturedState) -> None:
        begun = time.perf_counter()
        nbytes: int | None = None
        error: CheckpointError | None = None
        try:
            nbytes = self._store.save(state)
            if self._store.rank == 0:
                prune(self._store.directory, keep=self._keep)
        except CheckpointError as caught:
            error = caught
        except Exception as caught:  # noqa: BLE001 - a thread that dies unseen would look healthy
            error = CheckpointFailed(
                f"checkpoint of step {state.key.step} in {self._store.directory}: {caught!r}; "
                "training goes on and older checkpoints are intact: make room or mend the disk"
            )
            error.__cause__ = caught
        if error is not None:
            _log.warning(
                "checkpoint_failed", step=state.key.step, code=error.code, error=str(error)
            )
        self._finish(state.key, nbytes=nbytes, error=error, write_ms=_since_ms(begun))

    def _finish(
        self, key: SetKey, *, nbytes: int | None, error: CheckpointError | None, write_ms: float
    ) -> None:
        written = nbytes is not None
        with self._changed:
            before = self._status
            self._status = replace(
                before,
                written=before.written + written,
                failed=before.failed + (not written),
                last_written=key if written else before.last_written,
                last_written_nbytes=nbytes if written else before.last_written_nbytes,
                last_error=error,
                last_write_ms=write_ms,
            )
            self._pending = None
            self._changed.notify_all()


def _since_ms(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000

"""Handles of collectives: what ``group.allreduce(...)`` and the like return."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

import structlog
import torch
from torch._C._distributed_c10d import Work

from hotswap.errors import EpochLost

if TYPE_CHECKING:
    from collections.abc import Sequence

_log = structlog.get_logger()

#: torch's own mark for "no limit given": the group's limit applies.
NO_TIMEOUT = timedelta(milliseconds=-1)


class FailureSink(Protocol):
    """Who has to know that a collective failed, and whether failures still matter."""

    @property
    def discarding(self) -> bool:
        """Whether results of this epoch are being thrown away."""
        ...

    def failed(self, detail: str) -> None:
        """Note that a collective of this epoch failed."""
        ...


class CarriedWork(Work):
    """A collective under way in the bound group.

    ``wait`` raises EpochLost where the inner one raises RuntimeError, and tells the sink first,
    so that the step that is running can be retried instead of ending the process. While the sink
    discards, ``wait`` returns at once: FSDP2 waits for what is in flight when it is reset.
    """

    def __init__(self, inner: Work, sink: FailureSink, collective: str) -> None:
        """Wrap ``inner``, the handle that gloo or NCCL returned for ``collective``."""
        super().__init__()
        self._inner = inner
        self._sink = sink
        self._collective = collective

    def wait(self, timeout: timedelta = NO_TIMEOUT) -> bool:
        """Wait for the collective; EpochLost when it can't complete."""
        if self._sink.discarding:
            return True
        try:
            # Without a limit of the caller's, the group's own holds: `collective_s`.
            # ast-grep-ignore: bounded-wait
            return bool(self._inner.wait() if timeout == NO_TIMEOUT else self._inner.wait(timeout))
        except RuntimeError as error:
            _log.warning("collective_failed", collective=self._collective, detail=str(error))
            self._sink.failed(f"{self._collective} failed")
            raise EpochLost(f"{self._collective} failed in a lost epoch: {error}") from error

    def is_completed(self) -> bool:
        """Whether the collective has ended, well or not."""
        return bool(self._inner.is_completed())

    def is_success(self) -> bool:
        """Whether it has ended well."""
        return bool(self._inner.is_success())

    def exception(self) -> Any:  # noqa: ANN401 - torch hands out an opaque exception pointer
        """Return the error of the inner handle, if any."""
        return self._inner.exception()

    def synchronize(self) -> None:
        """Make the current stream wait for the collective (CUDA)."""
        if not self._sink.discarding:
            self._inner.synchronize()

    def get_future(self) -> torch.futures.Future[Any]:
        """Return the inner future: DDP's reducer waits for it in C++."""
        return self._inner.get_future()

    def result(self) -> list[torch.Tensor]:
        """Return the output tensors."""
        return self._inner.result()

    def _source_rank(self) -> int:
        return int(self._inner._source_rank())  # noqa: SLF001 - part of torch's Work interface


class FinishedWork(Work):
    """A collective that is already complete."""

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        """Complete at once with ``tensors`` as the result."""
        super().__init__()
        self._tensors = list(tensors)

    def wait(self, timeout: timedelta = NO_TIMEOUT) -> bool:  # noqa: ARG002 - torch's signature
        """Return at once."""
        return True

    def is_completed(self) -> bool:
        """Return True."""
        return True

    def is_success(self) -> bool:
        """Return True."""
        return True

    def exception(self) -> None:
        """Return None: nothing failed."""

    def synchronize(self) -> None:
        """Do nothing: there is no stream to wait for."""

    def get_future(self) -> torch.futures.Future[Any]:
        """Return a completed future that holds the tensors."""
        future: torch.futures.Future[Any] = torch.futures.Future()
        future.set_result(self._tensors)
        return future

    def result(self) -> list[torch.Tensor]:
        """Return the output tensors."""
        return self._tensors

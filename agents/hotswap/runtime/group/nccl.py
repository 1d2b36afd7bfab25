"""A group connected by NCCL for one epoch, with gloo beside it for tensors on the CPU.

Written to the interface that torch 2.13 documents; it runs wherever a GPU is, behind the same
conformance suite as gloo. Communicators are created non-blocking (``TORCH_NCCL_ASYNC_ERROR_HANDLING
= 0`` leaves errors to us): an abort must never hang, and must not end the process.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, Store
from torch.distributed.distributed_c10d import GroupName

from hotswap.runtime.group.gloo import GlooTransport

if TYPE_CHECKING:
    from hotswap.runtime.group.spec import GroupSpec


class NcclTransport:
    """NCCL for CUDA tensors and gloo for CPU tensors, connected together and left together."""

    def __init__(
        self,
        spec: GroupSpec,
        *,
        store: Store,
        host: str,
        bind_s: float,
        collective_s: float,
        device: torch.device,
    ) -> None:
        """Connect gloo at once and NCCL eagerly: the first collective of the epoch pays nothing.

        Raises:
            RuntimeError: a member did not come in time, or died while connecting.

        """
        self._gloo = GlooTransport(
            spec, store=store, host=host, bind_s=bind_s, collective_s=collective_s
        )
        options = dist.ProcessGroupNCCL.Options()
        options._timeout = timedelta(seconds=collective_s)  # noqa: SLF001 - torch offers no other way
        # Non-blocking set-up: with a blocking one, an abort waits for the peer that has died.
        options.config.blocking = 0
        options.global_ranks_in_group = list(spec.global_ranks)
        options.group_name = GroupName(spec.name)
        self._nccl = dist.ProcessGroupNCCL(
            PrefixStore("nccl", store), spec.rank, spec.size, options
        )
        self._nccl.eager_connect_single_device(device)
        kind = dist.ProcessGroup.BackendType.NCCL
        self._gloo.group._register_backend(torch.device("cuda"), kind, self._nccl)  # noqa: SLF001
        self._gloo.group._set_default_backend(kind)  # noqa: SLF001
        self._aborted = False

    @property
    def group(self) -> dist.ProcessGroup:
        """The inner process group, NCCL and gloo by device."""
        return self._gloo.group

    def intact(self) -> bool:
        """Whether the gloo connections to the same members stand.

        A peer's death shows there at once; NCCL's own error state is polled by the vote.
        """
        return not self._aborted and self._gloo.intact()

    def interrupt(self) -> None:
        """Abort the communicators, so that their kernels leave the device, then leave gloo."""
        self._gloo.interrupt()
        if not self._aborted:
            self._aborted = True
            with suppress(RuntimeError):
                self._nccl.abort()

    def close(self) -> None:
        """Wait until the device has drained what was pending, then free both."""
        self.interrupt()
        torch.cuda.synchronize()
        self._gloo.close()
        del self._nccl

"""A group of one that answers as many: collectives while a standby builds a model in advance.

A standby that prepares a rank runs the script's own lines without the other ranks. Where the
script asks for a collective (DDP compares shapes and broadcasts its parameters), the echo answers
as though every rank held what this one holds. The values do not matter: the state of the rank
replaces them before the first step. Shapes: W = group size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hotswap.runtime.group.work import FinishedWork

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor


class EchoGroup:
    """Carries every collective of ``names.CARRIED`` locally, at once."""

    def __init__(self, *, rank: int, size: int) -> None:
        """Answer as rank ``rank`` of ``size``."""
        self._rank = rank
        self._size = size

    def carry(self, collective: str, *arguments: Any, **options: Any) -> FinishedWork:  # noqa: ANN401 - torch's arguments pass through
        """Perform ``collective`` on the arguments that torch passes to a process group."""
        del options
        return FinishedWork(_ECHOES[collective](self, *arguments))

    def keep(self, tensors: Sequence[Tensor] | Tensor, *_: object) -> list[Tensor]:
        """Leave the tensors as they are: reductions, broadcast, receive."""
        return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]  # type: ignore[list-item]  # one tensor, if no list of them

    def nothing(self, *_: object) -> list[Tensor]:
        """Do nothing: barrier, send."""
        return []

    def fill_lists(
        self, outputs: Sequence[Sequence[Tensor]], inputs: Sequence[Tensor], *_: object
    ) -> list[Tensor]:
        """All-gather or gather into lists of W tensors each (empty lists off the root)."""
        for row, source in zip(outputs, inputs, strict=False):
            for output in row:
                output.copy_(source)
        return [output for row in outputs for output in row]

    def fill_single(self, output: Tensor, source: Tensor, *_: object) -> list[Tensor]:
        """All-gather ``source`` (n elements) into ``output`` (W * n elements)."""
        rows = output.view(-1).view(self._size, -1)
        rows.copy_(source.reshape(1, -1).expand_as(rows))
        return [output]

    def fill_singles(
        self, outputs: Sequence[Tensor], sources: Sequence[Tensor], *_: object
    ) -> list[Tensor]:
        """Coalesced form of ``fill_single``."""
        for output, source in zip(outputs, sources, strict=True):
            self.fill_single(output, source)
        return list(outputs)

    def take_own(
        self, outputs: Sequence[Tensor], inputs: Sequence[Sequence[Tensor]], *_: object
    ) -> list[Tensor]:
        """Reduce-scatter or scatter from lists of W tensors each (empty lists off the root)."""
        for output, row in zip(outputs, inputs, strict=False):
            output.copy_(row[self._rank])
        return list(outputs)

    def take_own_single(self, output: Tensor, source: Tensor, *_: object) -> list[Tensor]:
        """Reduce-scatter ``source`` (W * n elements) into ``output`` (n elements)."""
        output.view(-1).copy_(source.reshape(self._size, -1)[self._rank])
        return [output]

    def take_own_singles(
        self, outputs: Sequence[Tensor], sources: Sequence[Tensor], *_: object
    ) -> list[Tensor]:
        """Coalesced form of ``take_own_single``."""
        for output, source in zip(outputs, sources, strict=True):
            self.take_own_single(output, source)
        return list(outputs)

    def exchange(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], *_: object
    ) -> list[Tensor]:
        """All-to-all of W tensors: what goes to this rank comes from every rank."""
        for output in outputs:
            source = inputs[self._rank]
            if output.shape == source.shape:
                output.copy_(source)
            else:
                output.zero_()
        return list(outputs)

    def exchange_single(self, output: Tensor, source: Tensor, *_: object) -> list[Tensor]:
        """All-to-all in one tensor each; uneven splits leave zeros."""
        if output.shape == source.shape:
            output.copy_(source)
        else:
            output.zero_()
        return [output]


_ECHOES: dict[str, Callable[..., list[Tensor]]] = {
    "_allgather_base": EchoGroup.fill_single,
    "_reduce_scatter_base": EchoGroup.take_own_single,
    "all_gather_single": EchoGroup.fill_single,
    "all_gather_single_coalesced": EchoGroup.fill_singles,
    "all_to_all_single": EchoGroup.exchange_single,
    "allgather": EchoGroup.fill_lists,
    "allgather_coalesced": EchoGroup.fill_lists,
    "allgather_into_tensor_coalesced": EchoGroup.fill_singles,
    "allreduce": EchoGroup.keep,
    "allreduce_coalesced": EchoGroup.keep,
    "alltoall": EchoGroup.exchange,
    "alltoall_base": EchoGroup.exchange_single,
    "barrier": EchoGroup.nothing,
    "broadcast": EchoGroup.keep,
    "gather": EchoGroup.fill_lists,
    "recv": EchoGroup.keep,
    "reduce": EchoGroup.keep,
    "reduce_scatter": EchoGroup.take_own,
    "reduce_scatter_single": EchoGroup.take_own_single,
    "reduce_scatter_single_coalesced": EchoGroup.take_own_singles,
    "reduce_scatter_tensor_coalesced": EchoGroup.take_own_singles,
    "scatter": EchoGroup.take_own,
    "send": EchoGroup.nothing,
}

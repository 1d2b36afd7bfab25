"""The requests that a loader's readers work through: an endless line that can be redirected."""

from typing import NamedTuple

from hotswap.runtime.data.order import SampleOrder


class BatchRequest(NamedTuple):
    """One micro-batch to read: all that a reader needs to know, and small on the way to it."""

    # redirections of the feed before this request; replies to older ones are dropped
    generation: int
    # which samples belong to which micro-batch
    order: SampleOrder
    # rank that the micro-batch belongs to
    rank: int
    # its step
    step: int
    # its index in the step
    micro_batch: int


class Feed:
    """The micro-batches of one rank, from a given one on, without an end.

    Readers are given requests some steps before their replies are used. :meth:`redirect` makes
    the next request another, so that they go on for a repeated step, a take-over, or another
    rank.

    Args:
        order: which samples belong to which micro-batch.
        rank: the rank that reads.
    """

    def __init__(self, *, order: SampleOrder, rank: int) -> None:
        self.generation = 0
        self._order = order
        self._rank = rank
        self._position = 0

    def redirect(self, *, order: SampleOrder, rank: int, position: int) -> None:
        """Go on as ``rank`` at ``position``, counted in micro-batches from step 0."""
        self.generation += 1
        self._order = order
        self._rank = rank
        self._position = position

    def request(self) -> BatchRequest:
        """Give the next request."""
        step, micro_batch = divmod(self._position, self._order.micro_batches)
        self._position += 1
        return BatchRequest(self.generation, self._order, self._rank, step, micro_batch)

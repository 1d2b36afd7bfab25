"""Unprotected runs: the same script under plain ``python`` or ``torchrun``.

Steps are committed without a vote and nothing is mirrored. Numbers are those of a protected run:
the same seeds, the same order of samples, the same optimizer calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from hotswap.runtime.capsule.state import RankState
    from hotswap.runtime.data.source import DataSource
    from hotswap.runtime.step import Step


class Solo:
    """Commits each step at once."""

    epoch = 0

    def __init__(self) -> None:
        """Start before the first step."""
        self._state: RankState | None = None
        self._committed = 0

    def protect(self, state: RankState, data: DataSource | None) -> None:
        """Take the state; the data source is used by the steps alone."""
        del data
        self._state = state

    def boundary(self, total: int) -> int:
        """Return the index of the next step."""
        del total
        return self._committed

    def begin(self) -> None:
        """Do nothing: a failed step ends an unprotected run."""

    def commit(self, step: Step) -> None:
        """Apply the step, or skip the optimizer where any rank's gradients overflowed."""
        del step
        assert self._state is not None, "Run.steps refuses to begin before protect"
        overflow = self._state.unscale_and_check()
        self._state.apply(skip=_any_rank(self._state, overflow=overflow))
        self._committed += 1

    def lost(self) -> bool:
        """Return False: there is no epoch to lose."""
        return False

    def finish(self) -> bool:
        """Return True: nobody has to be waited for."""
        return True


def _any_rank(state: RankState, *, overflow: bool) -> bool:
    """Agree on an overflow. Without a scaler nobody asks, so that plain runs stay plain."""
    if not state.scaled or dist.get_world_size() == 1:
        return overflow
    flag = torch.tensor([int(overflow)], device=state.device)
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return bool(flag.item())

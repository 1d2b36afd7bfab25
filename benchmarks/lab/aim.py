"""Dying at a chosen place of a chosen step: SIGKILL, from inside, once per run."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch.optim import adam

from hotswap.runtime import session
from hotswap.runtime.group.binding import EpochGroups
from hotswap.runtime.mirror.replication import Replication

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from torch import Tensor, nn

    from hotswap.runtime.mirror.replication import _Progress

#: Where a rank can be told to die: in the model, before the vote, between the updates of two
#: parameters, before it sends a step's gradients to its mirror, and half-way through the copy of
#: its state to one more mirror.
PLACES = ("forward", "backward", "vote", "optimizer", "gradients", "copy")
#: With it, a copy of the state takes several steps, so that there is a half-way.
SMALL_SLICES = {"HOTSWAP_COPY_SLICE_NBYTES": str(192 << 10)}

#: What AdamW calls on a CPU, with lists of parameters, gradients and so on.
UPDATE = "_single_tensor_adam"

#: How long a wedged rank holds the interpreter's lock, s.
WEDGE_S = 30


@dataclass
class Aim:
    """Where and when to die."""

    place: str
    step: int
    # exists once it has happened: the newcomer of the rank must live
    mark: Path
    armed: bool = False

    @classmethod
    def parse(cls, text: str, *, folder: Path, rank: int) -> Aim:
        """Read ``PLACE:RANK:STEP``; an aim at another rank never strikes."""
        place, aimed_rank, step = text.split(":") if text else ("", "-1", "-1")
        mine = int(aimed_rank) == rank
        return cls(place=place if mine else "", step=int(step), mark=folder / "struck")

    def at(self, step: int) -> None:
        """Say which step begins."""
        due = bool(self.place) and step >= self.step and not self.mark.exists()
        self.armed = due and _protected()

    def strike(self, place: str) -> None:
        """Die, if this is the place and the step."""
        if not (self.armed and place == self.place):
            return
        self.mark.write_text(str(time.monotonic()))
        if place == "wedge":
            # A C function that keeps the interpreter's lock: no Python thread runs meanwhile.
            ctypes.PyDLL(None).sleep(WEDGE_S)
        os.kill(os.getpid(), signal.SIGKILL)

    def prepare(self, model: nn.Module) -> None:
        """Put the strike where the aim says."""
        if not self.place:
            return
        middle = list(model.modules())[len(list(model.modules())) // 2]
        middle.register_forward_hook(lambda *_: self.strike("forward"))
        middle.register_full_backward_hook(lambda *_: self.strike("backward"))
        middle.register_forward_hook(lambda *_: self.strike("wedge"))
        _strike_before(EpochGroups, "reduce", lambda *_: self.strike("vote"))
        _strike_before(Replication, "_send_gradients", lambda *_: self.strike("gradients"))
        _strike_before(Replication, "_copy", self._strike_half_way)
        self._strike_between_updates()

    def _strike_half_way(self, _: object, mirror: _Progress, *__: object) -> None:
        if mirror.copied:
            self.strike("copy")

    def _strike_between_updates(self) -> None:
        """Let AdamW update one half of the parameters, then the other: each is updated alone."""
        update: Callable[..., None] = getattr(adam, UPDATE)

        def halves(*lists: list[Tensor] | None, **options: object) -> None:
            middle = len(lists[0] or ()) // 2
            update(*(each and each[:middle] for each in lists), **options)
            self.strike("optimizer")
            update(*(each and each[middle:] for each in lists), **options)

        setattr(adam, UPDATE, halves)


def _protected() -> bool:
    """Whether a mirror holds this rank: dying without one is another story."""
    member = session.current.member
    replication = None if member is None else member._liaison.replication  # noqa: SLF001 - a lab looks inside
    return replication is not None and bool(replication.protecting)


def _strike_before(owner: type, name: str, strike: Callable[..., None]) -> None:
    """Call ``strike`` with what a method is called with, before it."""
    original = getattr(owner, name)

    def struck(*arguments: object, **options: object) -> object:
        strike(*arguments)
        return original(*arguments, **options)

    setattr(owner, name, struck)

"""Dying at a chosen place of a chosen step: SIGKILL, from inside, once per run."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hotswap.runtime import session
from hotswap.runtime.capsule.state import RankState
from hotswap.runtime.group.binding import EpochGroups
from hotswap.runtime.mirror.replication import Replication

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from torch import nn

#: Where a rank can be told to die, or to freeze.
PLACES = ("forward", "backward", "vote", "optimizer", "copy", "wedge")

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
        _strike_before(RankState, "advance", lambda: self.strike("optimizer"))
        _strike_before(EpochGroups, "reduce", lambda: self.strike("vote"))
        _strike_before(Replication, "_send_gradients", lambda: self.strike("copy"))


def _protected() -> bool:
    """Whether a mirror holds this rank: dying without one is another story."""
    member = session.current.member
    replication = None if member is None else member._liaison.replication  # noqa: SLF001 - a lab looks inside
    return replication is not None and bool(replication.protecting)


def _strike_before(owner: type, name: str, strike: Callable[[], None]) -> None:
    original = getattr(owner, name)

    def struck(*arguments: object, **options: object) -> object:
        strike()
        return original(*arguments, **options)

    setattr(owner, name, struck)

"""Row b: ranks killed with SIGKILL, at random moments and at the worst places."""

from __future__ import annotations

import random
import secrets
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.figures import every, rounded, spread
from benchmarks.lab import attempts as written
from benchmarks.lab.aim import SMALL_SLICES
from benchmarks.lab.session import Ended, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

#: Aimed kills: the places of ``lab/aim.py``, and while another rank is moved on plan.
CASES = ("forward", "backward", "vote", "optimizer", "gradients", "copy", "swap")
#: Kills of one run: an error in one costs the rest of it.
KILLS_PER_RUN = 10
#: A kill falls anywhere into so long a time, s.
SPREAD_S = 0.5
#: For a swap that a kill has crossed to be given up, or to end, s.
SWAP_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one kill has cost; None never came."""

    stall_ms: float | None
    recomputed_ms: float | None
    commit_gap_ms: float | None

    @classmethod
    def of(cls, ended: Ended, *, window: tuple[float, float], ranks: int) -> Cost:
        """Read it from what the ranks of a run have written.

        The ``window`` is that from the kill until the new epoch has done a few steps: afterwards
        the job is told to walk, while the next standby starts.
        """
        at_s, _ = window
        return cls(
            stall_ms=written.stall_ms(ended.attempts, lost_s=at_s, ranks=ranks),
            recomputed_ms=written.recomputed_ms(ended.attempts, lost_s=at_s),
            commit_gap_ms=written.commit_gap_ms(written.commits(ended.attempts), window=window),
        )

    def figures(self, name: str) -> dict[str, object]:
        """Return them one by one."""
        return {f"{name}_{measure}": rounded(value) for measure, value in vars(self).items()}


@dataclass(kw_only=True)
class Tally:
    """What kills have cost so far."""

    costs: list[Cost] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)

    def add(self, ended: Ended, windows: Iterable[tuple[float, float]], *, ranks: int) -> None:
        """Count the kills of a run."""
        self.ended.append(ended)
        self.costs += [Cost.of(ended, window=window, ranks=ranks) for window in windows]

    def figures(self) -> dict[str, object]:
        """Return the row."""
        return {
            "kills": len(self.costs),
            **spread("stall_ms", [each.stall_ms for each in self.costs]),
            **spread("recomputed_ms", [each.recomputed_ms for each in self.costs]),
            **spread("commit_gap_ms", [each.commit_gap_ms for each in self.costs]),
            "steps_lost": sum(written.steps_lost(each.attempts) for each in self.ended),
            "samples_lost": sum(each.samples_lost for each in self.ended),
            "samples_doubled": sum(each.samples_doubled for each in self.ended),
            "losses_unwritten": sum(each.losses_unwritten for each in self.ended),
            "bit_identical": every(each.bit_identical for each in self.ended),
        }


def measure(*, kills: int, cases: Sequence[str], seed: int | None = None) -> dict[str, object]:
    """Kill ranks at random moments, then as ``cases`` say."""
    seed = secrets.randbits(32) if seed is None else seed
    print(f"kills: seed {seed}", file=sys.stderr)
    chance = random.Random(seed)  # noqa: S311 - moments of losses, no secrets
    at_random = Tally()
    for first in range(0, kills, KILLS_PER_RUN):
        _at_random(at_random, chance, min(KILLS_PER_RUN, kills - first))
    figures: dict[str, object] = {"seed": seed, **at_random.figures()}
    return figures | (_aimed(cases) if cases else {})


def _at_random(tally: Tally, chance: random.Random, kills: int) -> None:
    windows = []
    with Session(ranks=2) as session:
        for _ in range(kills):
            session.protected()
            rank = chance.randrange(session.ranks)
            pid = session.owner(rank)
            time.sleep(chance.uniform(0, SPREAD_S))
            windows.append((kill(session, pid), time.monotonic()))
        tally.add(session.end(), windows, ranks=session.ranks)


def kill(session: Session, member: str) -> float:
    """Kill a member that owns a rank and wait until it is replaced; return the moment, s."""
    since = len(session.job.notices)
    at_s = session.job.signal(member)
    session.wait_taken_over(since)
    return at_s


def _aimed(cases: Sequence[str]) -> dict[str, object]:
    """Kill as ``cases`` say, in one run, and return each by its name beside all of them."""
    windows: dict[str, tuple[float, float]] = {}
    tally = Tally()
    # two standbys: one goes on protecting while the state is copied to the other
    with Session(ranks=2, standbys=2, arguments=["--aimed"], environment=SMALL_SLICES) as session:
        for number, case in enumerate(cases):
            session.protected(standbys=2)
            strike = _STRIKES.get(case, _kill_at_place)
            windows[case] = (strike(session, case, number), time.monotonic())
        ended = session.end()
    tally.add(ended, windows.values(), ranks=session.ranks)
    figures = {f"aimed_{name}": value for name, value in tally.figures().items()}
    for case, cost in zip(windows, tally.costs, strict=True):
        figures |= cost.figures(f"aimed_{case}")
    return figures


def _kill_at_place(session: Session, place: str, number: int) -> float:
    since = len(session.job.notices)
    session.aim(place, rank=number % session.ranks, number=number)
    return _struck(session, since, number)


def _kill_in_copy(session: Session, place: str, number: int) -> float:
    """Have the state of rank 0 copied to one more standby, for a swap, and kill the owner."""
    since = len(session.job.notices)
    target = session.spare(0)
    session.aim(place, rank=0, number=number, ahead=0)
    swap = _swap(session, rank=0, to=target)
    at_s = _struck(session, since, number)
    swap.join(SWAP_S)
    return at_s


def _kill_in_swap(session: Session, _: str, __: int) -> float:
    """Kill the owner of rank 0 while rank 1 is moved on plan."""
    since, victim = len(session.job.notices), session.owner(0)
    swap = _swap(session, rank=1)
    session.job.wait_for(
        lambda each: each["kind"] == "swap_phase" and each["text"] == "binding", after=since
    )
    at_s = kill(session, victim)
    swap.join(SWAP_S)
    return at_s


_STRIKES: Mapping[str, Callable[[Session, str, int], float]] = {
    "copy": _kill_in_copy,
    "swap": _kill_in_swap,
}


def _struck(session: Session, since: int, number: int) -> float:
    """Wait until a rank has killed itself and was replaced; return the moment, s."""
    session.wait_taken_over(since)
    return float((session.out / f"struck-{number}").read_text())


def _swap(session: Session, *, rank: int, to: str | None = None) -> threading.Thread:
    """Ask for a swap that may be given up."""
    words = ["--rank", str(rank), *(["--to", to] if to else []), "--json"]
    swap = threading.Thread(
        target=lambda: session.job.command("swap", *words, check=False), daemon=True
    )
    swap.start()
    return swap

"""Row b: ranks killed with SIGKILL, at random moments and at the worst places."""

from __future__ import annotations

import random
import secrets
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.figures import every, spread
from benchmarks.lab import attempts as written
from benchmarks.lab.session import Ended, Session

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACES = ("forward", "backward", "vote", "optimizer", "copy")
#: Kills of one run: an error in one costs the rest of it.
KILLS_PER_RUN = 10
#: A kill falls anywhere into so long a time, s.
SPREAD_S = 0.5
#: After a kill, how far the longest gap between commits may lie, s.
WINDOW_S = 5.0


@dataclass(kw_only=True)
class Tally:
    """What kills have cost so far."""

    stalls_ms: list[float | None] = field(default_factory=list)
    recomputed_ms: list[float | None] = field(default_factory=list)
    gaps_ms: list[float | None] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)

    def add(self, ended: Ended, moments_s: Sequence[float], *, ranks: int) -> None:
        """Count the kills of a run."""
        commits = written.commits(ended.attempts)
        self.ended.append(ended)
        for at_s in moments_s:
            self.stalls_ms.append(written.stall_ms(ended.attempts, lost_s=at_s, ranks=ranks))
            self.recomputed_ms.append(written.recomputed_ms(ended.attempts, lost_s=at_s))
            window = (at_s, at_s + WINDOW_S)
            self.gaps_ms.append(written.commit_gap_ms(commits, window=window))

    def figures(self) -> dict[str, object]:
        """Return the row."""
        return {
            "kills": len(self.stalls_ms),
            **spread("stall_ms", self.stalls_ms),
            **spread("recomputed_ms", self.recomputed_ms),
            **spread("commit_gap_ms", self.gaps_ms),
            "steps_lost": sum(written.steps_lost(each.attempts) for each in self.ended),
            "samples_lost": sum(each.samples_lost for each in self.ended),
            "samples_doubled": sum(each.samples_doubled for each in self.ended),
            "losses_unwritten": sum(each.losses_unwritten for each in self.ended),
            "bit_identical": every(each.bit_identical for each in self.ended),
        }


def measure(
    *, kills: int, places: Sequence[str], during_swap: bool, seed: int | None = None
) -> dict[str, object]:
    """Kill ranks at random moments, then at ``places``, then one during a planned swap."""
    seed = secrets.randbits(32) if seed is None else seed
    print(f"kills: seed {seed}", file=sys.stderr)
    chance = random.Random(seed)  # noqa: S311 - moments of losses, no secrets
    at_random, aimed = Tally(), Tally()
    left = kills
    while left:
        count = min(left, KILLS_PER_RUN)
        _at_random(at_random, chance, count)
        left -= count
    figures: dict[str, object] = {"seed": seed, **at_random.figures()}
    if places or during_swap:
        _aimed(aimed, places, during_swap=during_swap)
        figures |= {f"aimed_{name}": value for name, value in aimed.figures().items()}
    figures["aimed_places"] = [*places, *(["planned swap"] if during_swap else [])]
    return figures


def _at_random(tally: Tally, chance: random.Random, kills: int) -> None:
    moments_s = []
    with Session(ranks=2) as session:
        for _ in range(kills):
            session.protected()
            rank = chance.randrange(session.ranks)
            pid = session.owner(rank)
            time.sleep(chance.uniform(0, SPREAD_S))
            moments_s.append(kill(session, pid))
        tally.add(session.end(), moments_s, ranks=session.ranks)


def kill(session: Session, member: str) -> float:
    """Kill a member that owns a rank and wait until it is replaced; return the moment, s."""
    since = len(session.job.notices)
    at_s = session.job.signal(member)
    session.wait_taken_over(since)
    return at_s


def _aimed(tally: Tally, places: Sequence[str], *, during_swap: bool) -> None:
    moments_s = []
    with Session(ranks=2, arguments=["--aimed"]) as session:
        for number, place in enumerate(places):
            session.protected()
            since = len(session.job.notices)
            session.aim(place, rank=number % session.ranks, number=number)
            session.wait_taken_over(since)
            moments_s.append(float((session.out / f"struck-{number}").read_text()))
        if during_swap:
            session.protected()
            moments_s.append(_kill_during_swap(session))
        tally.add(session.end(), moments_s, ranks=session.ranks)


def _kill_during_swap(session: Session) -> float:
    """Kill the owner of rank 0 while rank 1 is moved on plan."""
    since, victim = len(session.job.notices), session.owner(0)
    swap = threading.Thread(target=lambda: _given_up_or_done(session), daemon=True)
    swap.start()
    session.job.wait_for(
        lambda each: each["kind"] == "swap_phase" and each["text"] == "binding", after=since
    )
    at_s = kill(session, victim)
    swap.join(60)
    return at_s


def _given_up_or_done(session: Session) -> None:
    """Ask for a swap that may be given up."""
    session.job.command("swap", "--rank", "1", "--json", check=False)

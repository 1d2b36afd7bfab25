"""Row d: losing what stands around the ranks: coordinators, the mirror, mirror and owner."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

from benchmarks import election
from benchmarks.figures import every, rounded
from benchmarks.lab import attempts as written
from benchmarks.lab.session import Ended, Session

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKPOINT_EVERY = 10


def measure(*, elections: int, everything: bool) -> dict[str, object]:
    """Lose one thing after another, each in a job that has all of them again."""
    gaps: dict[str, tuple[float, float]] = {}
    steps_lost: float | None = None
    with Session(options=["--checkpoint-every", str(CHECKPOINT_EVERY)]) as session:
        losses: dict[str, Callable[[Session], None]] = {"leader": _lose_leader}
        if everything:
            losses |= {"both_coordinators": _lose_coordinators, "mirror": _lose_mirror}
        for name, lose in losses.items():
            session.protected()
            begun_s = time.monotonic()
            lose(session)
            session.after(5)
            gaps[name] = (begun_s, time.monotonic())
        if everything:
            session.protected()
            begun_s = time.monotonic()
            steps_lost = _lose_owner_and_mirror(session)
            session.after(5)
            gaps["owner_and_mirror"] = (begun_s, time.monotonic())
        ended = session.end()
    return {
        **election.measure(elections),
        **_gaps(ended, gaps),
        "checkpoint_every_steps": CHECKPOINT_EVERY,
        "owner_and_mirror_steps_lost": steps_lost,
        "bit_identical": every([ended.bit_identical]),
    }


def _gaps(ended: Ended, windows: dict[str, tuple[float, float]]) -> dict[str, object]:
    commits = written.commits(ended.attempts)
    return {
        f"{name}_commit_gap_ms": rounded(written.commit_gap_ms(commits, window=window))
        for name, window in windows.items()
    }


def _lose_leader(session: Session) -> None:
    status, since = session.status(), len(session.job.notices)
    assert status is not None, "a job whose ranks are protected has a leader"
    session.job.signal(status.leader)
    session.job.wait_for(lambda each: each["kind"] == "elected", after=since)


def _lose_coordinators(session: Session) -> None:
    since = len(session.job.notices)
    for name in session.job.pids():
        if name.startswith("coordinator"):
            session.job.signal(name)
    session.job.wait_for(lambda each: each["kind"] == "elected", after=since)


def _lose_mirror(session: Session) -> None:
    since = len(session.job.notices)
    session.job.signal(session.mirrors(0)[0])
    session.job.wait_for(lambda each: each["kind"] == "protection_lost", after=since)


def _lose_owner_and_mirror(session: Session) -> float | None:
    """Kill both; return how many steps the job says that this cost."""
    since = len(session.job.notices)
    pids = session.job.pids()
    names = (session.owner(1), *session.mirrors(1))
    for name in names:
        # stopped first, so that neither sees the other go
        session.job.signal(name, signal.SIGSTOP)
    for name in names:
        session.job.signal(name)
    assert pids.keys() >= set(names), "both were there"
    restored = session.job.wait_for(
        lambda each: each["kind"] == "restored", after=since, timeout_s=180
    )
    lost = restored["values"].get("steps_lost")
    return None if lost is None else float(lost)

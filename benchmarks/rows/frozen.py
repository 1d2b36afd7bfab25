"""Row c: a rank that does not die, but does not answer either."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

from benchmarks.figures import every, rounded
from benchmarks.lab.session import Session
from hotswap.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.lab.attempts import Attempt

#: The lease runs from the last heartbeat and is looked at every tick; the rest is the machine's.
SLACK_S = 0.1
#: For a woken process to find that its rank is another's, s.
REFUSED_S = 30.0


def measure(*, wedged: bool) -> dict[str, object]:
    """Freeze one rank and wake it after its replacement; wedge another in C."""
    figures: dict[str, object] = {}
    decided: list[bool | None] = []
    # a fenced process is killed after a while: here it has to be woken before that
    environment = {"HOTSWAP_FENCED_EXIT_S": "120"}
    with Session(ranks=2, arguments=["--aimed"], environment=environment) as session:
        session.protected()
        frozen_ms, refused = _freeze(session)
        figures |= {"frozen_decided_ms": rounded(frozen_ms), "healed_refused": refused}
        decided.append(_within_lease(frozen_ms))
        if wedged:
            session.protected()
            wedged_ms = _wedge(session)
            figures["wedged_decided_ms"] = rounded(wedged_ms)
            decided.append(_within_lease(wedged_ms))
        ended = session.end()
    return {
        "lease_s": Limits().lease_s,
        **figures,
        "within_lease": every(decided),
        "two_owners": two_owners(ended.attempts),
        **ended.audit(),
    }


def _freeze(session: Session) -> tuple[float, bool]:
    """Return how long the decision took, ms, and whether the woken process was refused."""
    name, since = session.owner(1), len(session.job.notices)
    pid = session.job.pids()[name]
    at_s = session.job.signal(name, signal.SIGSTOP)
    session.wait_taken_over(since)
    decided_ms = _decided_ms(session, since, at_s)
    session.job.signal(name, signal.SIGCONT)
    log = session.folder / "jobs" / "lab" / "logs" / f"{name}.stderr.log"
    deadline_s = time.monotonic() + REFUSED_S
    while session.job.pids().get(name) == pid and time.monotonic() < deadline_s:
        time.sleep(0.1)
    gone = session.job.pids().get(name) != pid
    return decided_ms, gone and "fenced_off" in log.read_text()


def _wedge(session: Session) -> float:
    """Return how long the decision took, ms."""
    since = len(session.job.notices)
    session.aim("wedge", rank=0, number=0)
    session.wait_taken_over(since)
    at_s = float((session.out / "struck-0").read_text())
    return _decided_ms(session, since, at_s)


def _decided_ms(session: Session, since: int, at_s: float) -> float:
    dead = session.job.wait_for(lambda each: each["kind"] == "epoch_dead", after=since)
    return (float(dead["at_monotonic_s"]) - at_s) * 1000


def _within_lease(decided_ms: float) -> bool:
    return decided_ms <= (Limits().lease_s + SLACK_S) * 1000


def two_owners(attempts: Iterable[Attempt]) -> bool:
    """Whether two members have committed steps of one rank in one epoch."""
    owners: dict[tuple[int, int], set[str]] = {}
    for each in attempts:
        if each.committed:
            owners.setdefault((each.epoch, each.rank), set()).add(each.member)
    return any(len(members) > 1 for members in owners.values())

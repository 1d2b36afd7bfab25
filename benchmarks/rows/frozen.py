"""Row c: a rank that does not die, but does not answer either."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from benchmarks.figures import every, rounded
from benchmarks.lab.session import Session
from hotswap.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.lab.attempts import Attempt

#: The lease runs from the last heartbeat and is looked at every tick; the rest is the machine's.
SLACK_S = 0.1
#: For a process that is well again to find that its rank is another's, s.
REFUSED_S = 30.0
#: Owner of rank 1 at first: it reaches the coordinators through a relay.
RELAYED = "node-1"


def measure(*, wedged: bool) -> dict[str, object]:
    """Cut a rank off from the coordinator, freeze it, wedge another in C; heal the first two."""
    silences: dict[str, Callable[[Session], tuple[float, bool | None]]] = {
        "cut_off": _cut_off,
        "frozen": _freeze,
    }
    if wedged:
        silences["wedged"] = _wedge
    figures: dict[str, object] = {}
    decided: list[bool | None] = []
    refused: list[bool | None] = []
    # a fenced process is killed after a while: here it has to be well again before that
    environment = {"HOTSWAP_FENCED_EXIT_S": "120"}
    with Session(
        ranks=2, arguments=["--aimed"], environment=environment, relayed=RELAYED
    ) as session:
        for name, silence in silences.items():
            session.protected()
            decided_ms, healed_refused = silence(session)
            figures[f"{name}_decided_ms"] = rounded(decided_ms)
            decided.append(_within_lease(decided_ms))
            if healed_refused is not None:
                figures[f"{name}_healed_refused"] = healed_refused
                refused.append(healed_refused)
        ended = session.end()
    return {
        "lease_s": _lease_s(),
        **figures,
        "within_lease": every(decided),
        "healed_refused": every(refused),
        "two_owners": two_owners(ended.attempts),
        **ended.audit(),
    }


def _cut_off(session: Session) -> tuple[float, bool]:
    """Return how long the decision took, ms, and whether the process was refused when healed."""
    assert session.relay is not None, "the session has one"
    assert session.owner(1) == RELAYED, "nobody has taken its rank over yet"
    since, pid = len(session.job.notices), session.job.pids()[RELAYED]
    at_s = time.monotonic()
    session.relay.cut()
    session.wait_taken_over(since)
    decided_ms = _decided_ms(session, since, at_s)
    session.relay.heal()
    return decided_ms, _is_refused(session, RELAYED, pid)


def _freeze(session: Session) -> tuple[float, bool]:
    """Return how long the decision took, ms, and whether the woken process was refused."""
    name, since = session.owner(1), len(session.job.notices)
    pid = session.job.pids()[name]
    at_s = session.job.signal(name, signal.SIGSTOP)
    session.wait_taken_over(since)
    decided_ms = _decided_ms(session, since, at_s)
    session.job.signal(name, signal.SIGCONT)
    return decided_ms, _is_refused(session, name, pid)


def _wedge(session: Session) -> tuple[float, None]:
    """Return how long the decision took, ms; a process that is wedged does not become well."""
    since = len(session.job.notices)
    session.aim("wedge", rank=0, number=0)
    session.wait_taken_over(since)
    at_s = float((session.out / "struck-0").read_text())
    return _decided_ms(session, since, at_s), None


def _is_refused(session: Session, name: str, pid: int) -> bool:
    """Whether a process that was replaced ends by itself, and says why."""
    deadline_s = time.monotonic() + REFUSED_S
    while session.job.pids().get(name) == pid and time.monotonic() < deadline_s:
        time.sleep(0.1)
    gone = session.job.pids().get(name) != pid
    log = session.directory.logs / f"{name}.stderr.log"
    return gone and "fenced_off" in log.read_text()


def _decided_ms(session: Session, since: int, at_s: float) -> float:
    dead = session.job.wait_for(lambda each: each["kind"] == "epoch_dead", after=since)
    return (float(dead["at_monotonic_s"]) - at_s) * 1000


def _within_lease(decided_ms: float) -> bool:
    return decided_ms <= (_lease_s() + SLACK_S) * 1000


def _lease_s() -> float:
    """Return the limit that the job has, which inherits this environment."""
    return Limits.from_environment(os.environ).lease_s


def two_owners(attempts: Iterable[Attempt]) -> bool:
    """Whether two members have committed steps of one rank in one epoch."""
    owners: dict[tuple[int, int], set[str]] = {}
    for each in attempts:
        if each.committed:
            owners.setdefault((each.epoch, each.rank), set()).add(each.member)
    return any(len(members) > 1 for members in owners.values())

"""Lets a run go on to its end, and kills the planned rank at the planned moment."""

import time
from collections.abc import Sequence

from benchmarks.peers import model as shared
from benchmarks.peers.processes import Job, kill
from benchmarks.peers.records import Commit, End, Record
from benchmarks.peers.system import Kill, Outcome
from benchmarks.peers.watch import ProbeFiles

_POLL_S = 0.01
# from the first process that has done all steps until the others must have
_FINISH_GRACE_S = 3.0


def drive(job: Job) -> Outcome:
    """Watch the probes of ``job`` until all ranks have done all steps, or the limit is reached.

    Args:
        job: its processes have been launched.

    """
    files = ProbeFiles(job.case.probes)
    deadline = time.monotonic() + job.case.limit_s
    kill_ns: int | None = None
    while time.monotonic() < deadline:
        files.read_new()
        if job.case.kill is not None and kill_ns is None:
            victim = find_victim(files.records, job.case.kill)
            if victim is not None:
                time.sleep(job.case.kill.delay_s)
                kill(victim)
                kill_ns = time.monotonic_ns()
        if is_done(files.records):
            return _outcome(job, kill_ns, finished=True)
        if has_left_others_behind(files.records, now_ns=time.monotonic_ns()):
            return _outcome(job, kill_ns, finished=False)
        ended = job.all_ended()
        job.tend()
        if ended and job.all_ended():
            files.read_new()
            return _outcome(job, kill_ns, finished=is_done(files.records))
        time.sleep(_POLL_S)
    return _outcome(job, kill_ns, finished=False)


def find_victim(records: Sequence[Record], plan: Kill) -> int | None:
    """Return the process that holds the planned rank; None before it has done the planned step."""
    for record in reversed(records):
        if isinstance(record, Commit) and record.rank == plan.rank:
            return record.pid if record.step >= plan.step else None
    return None


def is_done(records: Sequence[Record]) -> bool:
    """Return whether as many processes as there are ranks have done all steps."""
    return sum(isinstance(record, End) for record in records) >= shared.RANKS


def has_left_others_behind(records: Sequence[Record], *, now_ns: int) -> bool:
    """Return whether a process did all steps so long ago that the others are on their own."""
    return any(
        isinstance(record, End) and now_ns - record.monotonic_ns > _FINISH_GRACE_S * 1e9
        for record in records
    )


def _outcome(job: Job, kill_ns: int | None, *, finished: bool) -> Outcome:
    """Return the outcome, with the reason when the run did not finish."""
    reason = ""
    if not finished:
        ended = "its processes have ended" if job.all_ended() else "it was still waiting"
        reason = f"{ended}; last error: {job.last_error() or 'none logged'}"
    return Outcome(kill_ns=kill_ns, finished=finished, reason=reason)

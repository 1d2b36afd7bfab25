"""Judges one run by what its processes wrote, whatever system ran them. Pure: records to figures.

A step is *committed* when the first process says that it has applied it. A system that rolls back,
or whose vote failed after one process had applied the step, makes another *attempt* at it; what
counts in the end is the last attempt at each step, since the final state was made from that.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from benchmarks.peers.records import Commit, Computed, End, Record

_MS_PER_NS = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The undisturbed run."""

    # per step, per rank: the loss, hexadecimal
    losses: tuple[tuple[str, ...], ...]
    # SHA-256 of the final state
    digest: str
    # numbers of the samples that a rank reads for a step, by (step, rank)
    sample_ids: Callable[[int, int], tuple[int, ...]]

    @property
    def ranks(self) -> int:
        """Return the number of ranks."""
        return len(self.losses[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a run came to. None stands for *not within the limit*, never for zero."""

    # median time between two commits before the kill, or over a run without one
    step_ms: float | None
    # longest time between two commits that ended after the kill, less the median step
    commit_gap_ms: float | None
    # from the kill until a step was committed that no one had committed before
    new_step_ms: float | None
    # from the kill until all ranks had committed one and the same step again
    full_strength_ms: float | None
    # attempts at steps that had been committed before
    steps_lost: int
    # samples whose gradients should be in the state that the run got to, and are not
    samples_lost: int
    # samples whose gradients are in the final state more than once
    samples_doubled: int
    # every step has the losses of the undisturbed run, on all ranks
    same_losses: bool
    # every process that finished holds the final state of the undisturbed run
    same_state: bool
    # as many processes as there are ranks have finished
    finished: bool


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One step, applied together by some number of ranks."""

    step: int
    # number of ranks that the step is the mean of
    ranks: int
    # when each rank had applied it; one that was killed right then is missing
    applied_ns: dict[int, int] = field(default_factory=dict)
    # what each rank had worked out for it
    work: dict[int, Computed] = field(default_factory=dict)

    @property
    def first_ns(self) -> int:
        """Return when the first process had applied the step."""
        return min(self.applied_ns.values())

    @property
    def last_ns(self) -> int:
        """Return when the last process had applied the step."""
        return max(self.applied_ns.values())

    def includes(self, commit: Commit) -> bool:
        """Return whether ``commit`` belongs to this attempt, not to another at the same step."""
        same = (commit.step, commit.ranks) == (self.step, self.ranks)
        return same and commit.rank not in self.applied_ns


def judge(records: Iterable[Record], *, reference: Reference, kill_ns: int | None) -> Verdict:
    """Judge the records of one run, of all its processes, in any order."""
    ordered = _without_latecomers(sorted(records, key=lambda record: record.monotonic_ns))
    attempts = attempts_of(ordered)
    ends = [record for record in ordered if isinstance(record, End)]
    last = {attempt.step: attempt for attempt in attempts}
    lost, doubled = _samples(last.values(), reference)
    step_ms = _median_step_ms(attempts, kill_ns)
    return Verdict(
        step_ms=step_ms,
        commit_gap_ms=_commit_gap_ms(attempts, kill_ns, step_ms),
        new_step_ms=_new_step_ms(attempts, kill_ns),
        full_strength_ms=_full_strength_ms(attempts, kill_ns, reference.ranks),
        steps_lost=_steps_lost(attempts),
        samples_lost=lost,
        samples_doubled=doubled,
        same_losses=_same_losses(last, reference),
        same_state=bool(ends) and all(end.digest == reference.digest for end in ends),
        finished=len(ends) >= reference.ranks,
    )


def _without_latecomers(ordered: Sequence[Record]) -> list[Record]:
    """Leave out processes that compute nothing until another has done all steps.

    One that is started again too late to join finds the job gone, and begins another from step 1.
    """
    joined: set[int] = set()
    for record in ordered:
        if isinstance(record, End):
            break
        if isinstance(record, Computed | Commit):
            joined.add(record.pid)
    return [record for record in ordered if record.pid in joined]


def attempts_of(ordered: Iterable[Record]) -> list[Attempt]:
    """Group records, in the order of time, into attempts."""
    attempts: list[Attempt] = []
    work: dict[tuple[int, int], Computed] = {}
    for record in ordered:
        if isinstance(record, Computed):
            work[record.step, record.rank] = record
        elif isinstance(record, Commit):
            if not attempts or not attempts[-1].includes(record):
                attempts.append(_begin(record, work))
            attempts[-1].applied_ns[record.rank] = record.monotonic_ns
    return attempts


def _begin(commit: Commit, work: dict[tuple[int, int], Computed]) -> Attempt:
    """Begin an attempt with what each of its ranks had worked out: all have, before one commits."""
    return Attempt(
        step=commit.step,
        ranks=commit.ranks,
        work={
            rank: work[commit.step, rank]
            for rank in range(commit.ranks)
            if (commit.step, rank) in work
        },
    )


def _median_step_ms(attempts: Sequence[Attempt], kill_ns: int | None) -> float | None:
    """Return the median time between two commits before the kill."""
    times = [attempt.first_ns for attempt in attempts]
    before = [when for when in times if kill_ns is None or when <= kill_ns]
    gaps = [later - earlier for earlier, later in pairwise(before)]
    return median(gaps) * _MS_PER_NS if gaps else None


def _commit_gap_ms(
    attempts: Sequence[Attempt], kill_ns: int | None, step_ms: float | None
) -> float | None:
    """Return the longest time between two commits that ended after the kill, less a step."""
    gaps = [
        later.first_ns - earlier.first_ns
        for earlier, later in pairwise(attempts)
        if kill_ns is None or later.first_ns > kill_ns
    ]
    return max(gaps) * _MS_PER_NS - step_ms if gaps and step_ms is not None else None


def _new_step_ms(attempts: Sequence[Attempt], kill_ns: int | None) -> float | None:
    """Return how long after the kill the job got further than it had been."""
    if kill_ns is None:
        return None
    reached = max((attempt.step for attempt in attempts if attempt.first_ns <= kill_ns), default=0)
    for attempt in attempts:
        if attempt.first_ns > kill_ns and attempt.step > reached:
            return (attempt.first_ns - kill_ns) * _MS_PER_NS
    return None


def _full_strength_ms(attempts: Sequence[Attempt], kill_ns: int | None, ranks: int) -> float | None:
    """Return how long after the kill all ranks had committed one and the same step."""
    if kill_ns is None:
        return None
    for attempt in attempts:
        if attempt.first_ns > kill_ns and len(attempt.applied_ns) == attempt.ranks == ranks:
            return (attempt.last_ns - kill_ns) * _MS_PER_NS
    return None


def _steps_lost(attempts: Sequence[Attempt]) -> int:
    """Count the attempts at steps that had been committed before."""
    lost, reached = 0, 0
    for attempt in attempts:
        lost += attempt.step <= reached
        reached = max(reached, attempt.step)
    return lost


def _samples(last: Collection[Attempt], reference: Reference) -> tuple[int, int]:
    """Return how many samples are missing from the final state, and how many too many it has."""
    used = Counter(
        sample
        for attempt in last
        for computed in attempt.work.values()
        for sample in computed.samples
    )
    # a run that was cut short has not lost what it did not get to
    reached = max((attempt.step for attempt in last), default=0)
    wanted = {
        sample
        for step in range(1, reached + 1)
        for rank in range(reference.ranks)
        for sample in reference.sample_ids(step, rank)
    }
    return len(wanted - set(used)), sum(times - 1 for times in used.values())


def _same_losses(last: dict[int, Attempt], reference: Reference) -> bool:
    """Return whether every step has the losses of the undisturbed run."""
    return all(
        step in last
        and {rank: computed.loss for rank, computed in last[step].work.items()}
        == dict(enumerate(losses))
        for step, losses in enumerate(reference.losses, start=1)
    )

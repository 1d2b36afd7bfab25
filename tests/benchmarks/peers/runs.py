"""Makes the records of runs, for the tests of what judges them."""

from collections.abc import Iterable, Iterator

from benchmarks.peers.judge import Reference
from benchmarks.peers.records import Commit, Computed, End, Record

RANKS = 2
STEP_NS = 100_000_000
DIGEST = "d"


def sample_ids(step: int, rank: int) -> tuple[int, ...]:
    """Return the samples of a rank in a step: two, shared with no other."""
    first = ((step - 1) * RANKS + rank) * 2
    return (first, first + 1)


def loss_of(step: int, rank: int) -> str:
    """Return the loss of the undisturbed run."""
    return (step + rank / 10).hex()


def reference(steps: int) -> Reference:
    """Return an undisturbed run of so many steps."""
    return Reference(
        losses=tuple(
            tuple(loss_of(step, rank) for rank in range(RANKS)) for step in range(1, steps + 1)
        ),
        digest=DIGEST,
        sample_ids=sample_ids,
    )


def attempt(
    step: int, *, at_ns: int, pids: Iterable[int] = (10, 11), loss: str | None = None
) -> Iterator[Record]:
    """Yield what the ranks write for one step, rank by rank, that they have applied at ``at_ns``.

    Args:
        step: number of the step.
        at_ns: when rank 0 has applied it; each further one a millisecond later.
        pids: processes that hold the ranks, from rank 0.
        loss: instead of the loss of the undisturbed run.

    """
    every = tuple(pids)
    for rank, pid in enumerate(every):
        yield Computed(
            monotonic_ns=at_ns - STEP_NS // 2,
            pid=pid,
            step=step,
            rank=rank,
            loss=loss or loss_of(step, rank),
            samples=sample_ids(step, rank),
        )
    for rank, pid in enumerate(every):
        yield Commit(
            monotonic_ns=at_ns + rank * 1_000_000, pid=pid, step=step, rank=rank, ranks=len(every)
        )


def ends(at_ns: int, *, pids: Iterable[int] = (10, 11), digest: str = DIGEST) -> Iterator[Record]:
    """Yield what processes write that have done all steps."""
    return (End(monotonic_ns=at_ns, pid=pid, digest=digest) for pid in pids)


def steady(first: int, last: int, *, pids: Iterable[int] = (10, 11)) -> Iterator[Record]:
    """Yield steps ``first`` to ``last``, one each 100 ms: step k at k times 100 ms."""
    every = tuple(pids)
    for step in range(first, last + 1):
        yield from attempt(step, at_ns=step * STEP_NS, pids=every)

"""What a ledger of consumed samples proves by itself, without the data set and its order. Pure.

It rests on one rule of the data order: a pass reads each sample once. So at any moment every sample
has been consumed as often as every other, or once more. Where the order itself is known, the audit
of ``hotswap.runtime.data`` proves more.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from hotswap.node.evidence import Check

#: Findings that are named; the rest is counted.
NAMED_MAX = 3


class Record(Protocol):
    """The samples that one rank consumed in one committed step: a line of the ledger."""

    @property
    def epoch(self) -> int:
        """Epoch in which the step was committed."""

    @property
    def step(self) -> int:
        """Index of the step."""

    @property
    def rank(self) -> int:
        """Rank that consumed the samples."""

    @property
    def sample_ids(self) -> tuple[int, ...]:
        """Samples in the order of reading."""


def check_ledger(
    records: Sequence[Record], *, ranks: int | None, committed: int | None
) -> tuple[Check, ...]:
    """Ask a ledger whether any sample was consumed twice or left out.

    Args:
        records: all records of the job.
        ranks: number of ranks; None takes it from the records.
        committed: steps that the job has applied; None takes it from the records.

    """
    by_place: dict[tuple[int, int], list[Record]] = defaultdict(list)
    for record in records:
        by_place[record.step, record.rank].append(record)
    counting = {place: _latest(those) for place, those in by_place.items()}
    return (
        _nothing_missing(counting, ranks=ranks, committed=committed),
        _nothing_doubled(by_place),
        _repeated_alike(by_place),
        _evenly_consumed(counting.values()),
    )


def _nothing_missing(
    counting: Mapping[tuple[int, int], Record], *, ranks: int | None, committed: int | None
) -> Check:
    question = "every rank recorded every step"
    if not counting:
        return Check(question=question, verdict="unknown", detail="the ledger is empty")
    steps = committed if committed is not None else 1 + max(step for step, _ in counting)
    ranks = ranks if ranks is not None else 1 + max(rank for _, rank in counting)
    wanted = {(step, rank) for step in range(steps) for rank in range(ranks)}
    missing, beyond = sorted(wanted - counting.keys()), sorted(counting.keys() - wanted)
    if missing:
        return Check(question=question, verdict="failed", detail=f"missing: {_places(missing)}")
    if beyond:
        return Check(
            question=question, verdict="failed", detail=f"never committed: {_places(beyond)}"
        )
    return Check(question=question, verdict="ok", detail=f"{steps} steps of {ranks} ranks")


def _nothing_doubled(by_place: Mapping[tuple[int, int], Sequence[Record]]) -> Check:
    doubled = sorted(
        place
        for place, records in by_place.items()
        if max(Counter(record.epoch for record in records).values()) > 1
    )
    return Check(
        question="no step was recorded twice in one epoch",
        verdict="failed" if doubled else "ok" if by_place else "unknown",
        detail=f"twice: {_places(doubled)}" if doubled else "",
    )


def _repeated_alike(by_place: Mapping[tuple[int, int], Sequence[Record]]) -> Check:
    repeated = {place: records for place, records in by_place.items() if len(records) > 1}
    different = sorted(
        place
        for place, records in repeated.items()
        if len({record.sample_ids for record in records}) > 1
    )
    return Check(
        question="a step that was done again read the same samples",
        verdict="failed" if different else "ok" if by_place else "unknown",
        detail=f"others: {_places(different)}" if different else f"{len(repeated)} done again",
    )


def _evenly_consumed(counting: Iterable[Record]) -> Check:
    question = "no sample was read twice in one pass"
    times: Counter[int] = Counter()
    for record in counting:
        times.update(record.sample_ids)
    if not times:
        return Check(question=question, verdict="unknown", detail="the ledger is empty")
    most, least = max(times.values()), min(times.values())
    if most > 1 and len(times) <= max(times):
        # some samples have not been read at all: the first pass is not over, or there are none
        # of these numbers
        again = sorted(sample for sample, count in times.items() if count > 1)
        detail = f"read again before others were read at all: {_samples(again)}"
        return Check(question=question, verdict="unknown", detail=detail)
    uneven = sorted(sample for sample, count in times.items() if count > least + 1)
    if uneven:
        detail = f"read {most} times, others {least}: {_samples(uneven)}"
        return Check(question=question, verdict="failed", detail=detail)
    return Check(question=question, verdict="ok", detail=f"{times.total()} read")


def _latest(records: Sequence[Record]) -> Record:
    """Give the record that counts: that of the highest epoch."""
    return max(records, key=lambda record: record.epoch)


def _samples(samples: Sequence[int]) -> str:
    named = ", ".join(f"sample {sample}" for sample in samples[:NAMED_MAX])
    return _and_more(named, len(samples))


def _places(places: Sequence[tuple[int, int]]) -> str:
    named = ", ".join(f"step {step} of rank {rank}" for step, rank in places[:NAMED_MAX])
    return _and_more(named, len(places))


def _and_more(named: str, count: int) -> str:
    return named if count <= NAMED_MAX else f"{named} and {count - NAMED_MAX} more"

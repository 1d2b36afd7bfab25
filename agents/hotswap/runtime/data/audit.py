"""Proof from the ledger's files: no sample was consumed twice, none was left out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hotswap.runtime.data.ledger import LedgerRecord
from hotswap.runtime.data.order import SampleOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFinding:
    """Samples of one rank's step with which something is wrong."""

    # index of the step
    step: int
    # rank that should have consumed the samples, or has
    rank: int
    # the samples concerned, in ascending order
    sample_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerReport:
    """What an audit found; :attr:`clean` if nothing."""

    # samples that a committed step should have consumed, and no record says so
    missing: tuple[LedgerFinding, ...]
    # samples recorded more often than they were to be consumed
    doubled: tuple[LedgerFinding, ...]
    # recorded samples that did not belong to the step, or to any step that was committed
    unexpected: tuple[LedgerFinding, ...]
    # samples in the records that count
    consumed: int
    # records that count no more, because a later epoch has committed the same step again
    superseded: int

    @property
    def clean(self) -> bool:
        """Whether the records say: none twice, none missing, none foreign."""
        return not (self.missing or self.doubled or self.unexpected)


_Key = tuple[int, int]


def audit_ledger(
    records: Iterable[LedgerRecord], *, order: SampleOrder, steps: int
) -> LedgerReport:
    """Compare a ledger's records with what ``steps`` committed steps had to consume.

    A step of a rank may be recorded once in each epoch: after a roll-back a later epoch commits
    it again, and a rank's new owner records the step that the old one died in. The record of the
    highest epoch counts; an earlier one must name the same samples. Two records of one epoch are
    a doubled step.

    Args:
        records: all records of the job.
        order: which samples belong to which step; also the number of ranks.
        steps: committed steps, counted from step 0.

    Returns:
        Findings in the order of steps, then ranks.
    """
    recorded: dict[_Key, list[LedgerRecord]] = defaultdict(list)
    for record in records:
        recorded[record.step, record.rank].append(record)
    wanted = {(step, rank) for step in range(steps) for rank in range(order.world_size)}

    missing: list[LedgerFinding] = []
    doubled: list[LedgerFinding] = []
    unexpected: list[LedgerFinding] = []
    consumed = superseded = 0
    for key in sorted(wanted | recorded.keys()):
        step, rank = key
        expected = Counter(order.step_ids(step=step, rank=rank) if key in wanted else ())
        counting, earlier = _split(recorded[key])
        got = Counter(sample for record in counting for sample in record.sample_ids)
        strange = sum((Counter(record.sample_ids) - expected for record in earlier), Counter())
        consumed += got.total()
        superseded += len(earlier)
        _note(missing, key, (expected - got).keys())
        surplus = got - expected
        _note(doubled, key, surplus.keys() & expected.keys())
        _note(unexpected, key, (surplus.keys() | strange.keys()) - expected.keys())
    return LedgerReport(
        missing=tuple(missing),
        doubled=tuple(doubled),
        unexpected=tuple(unexpected),
        consumed=consumed,
        superseded=superseded,
    )


def _split(
    records: Sequence[LedgerRecord],
) -> tuple[list[LedgerRecord], list[LedgerRecord]]:
    """Part the records of one rank's step into those of the highest epoch and earlier ones."""
    last = max((record.epoch for record in records), default=0)
    counting = [record for record in records if record.epoch == last]
    earlier = [record for record in records if record.epoch != last]
    return counting, earlier


def _note(findings: list[LedgerFinding], key: _Key, sample_ids: Iterable[int]) -> None:
    """Add a finding, if there are samples in it."""
    found = tuple(sorted(sample_ids))
    if found:
        findings.append(LedgerFinding(step=key[0], rank=key[1], sample_ids=found))

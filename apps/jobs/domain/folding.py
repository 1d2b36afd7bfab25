"""Facts of a job, folded from what its leaders say.

Two sources: notices, which tell what happened one after the other, and the leader's snapshot, which
is right about all that it holds. What an older leader says after a newer one has spoken is passed
over; so is a snapshot of an older epoch.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from apps.jobs.domain.facts import EventFacts, Handover, JobFacts, LossFacts, RankFacts
from hotswap.wire.answers import Status
from hotswap.wire.plane import NoticeReport
from hotswap.wire.values import RankStatus

#: Comes with every step: kept as loss, not as an event.
COMMITTED: Final = "committed"
#: How much a step moves what is usual, and how far beyond that it may be and count in full.
SMOOTHING: Final = 0.1
STALL_FACTOR: Final = 1.5
#: Kinds after which a rank has another owner.
HANDED_OVER: Final = frozenset({"swap_completed", "unplanned_completed"})
#: Kinds with which a job is over.
ENDED: Final = frozenset({"finished", "failed"})


def fold_notices(facts: JobFacts, notices: Iterable[NoticeReport]) -> JobFacts:
    """Fold in notices, in their order."""
    for notice in notices:
        facts = fold_notice(facts, notice)
    return facts


def fold_notice(facts: JobFacts, notice: NoticeReport) -> JobFacts:
    """Fold in one notice."""
    if notice.token < facts.token:
        return facts
    facts = replace(
        facts, token=notice.token, leader=notice.leader, epoch=_later(facts.epoch, notice.epoch)
    )
    if notice.kind in HANDED_OVER:
        return _owned(facts, notice)
    if notice.kind in ENDED:
        return replace(facts, ended=notice.kind, ended_reason=notice.text)
    fold = _FOLDS.get(notice.kind)
    return facts if fold is None else fold(facts, notice)


def fold_status(facts: JobFacts, status: Status) -> JobFacts:
    """Fold in a leader's snapshot."""
    if status.token < facts.token or (status.epoch and status.epoch < (facts.epoch or 0)):
        return facts
    epoch = status.epoch or facts.epoch
    committed = max(status.committed, facts.committed or 0) if status.epoch else facts.committed
    return replace(
        facts,
        token=status.token,
        leader=status.leader or facts.leader,
        phase=status.phase,
        epoch=epoch,
        committed=committed,
        ended=status.phase if status.phase in ENDED else facts.ended,
        standbys=tuple(sorted(status.standbys)),
        ranks={each.rank: _rank(facts.rank(each.rank), each, epoch=epoch) for each in status.ranks},
    )


def fold_told(
    facts: JobFacts, *, notices: Iterable[NoticeReport], status: Status | None
) -> tuple[JobFacts, tuple[Handover, ...]]:
    """Fold in a whole report; also return each change of an owner on the way."""
    handovers: list[Handover] = []
    for notice in notices:
        former, facts = facts, fold_notice(facts, notice)
        handovers += _handovers(former, facts)
    if status is not None:
        former, facts = facts, fold_status(facts, status)
        handovers += _handovers(former, facts)
    return facts, tuple(handovers)


def losses(notices: Iterable[NoticeReport]) -> tuple[LossFacts, ...]:
    """Return what the committed steps among ``notices`` measured, the newest word on each."""
    found: dict[tuple[int, int], LossFacts] = {}
    for notice in notices:
        if notice.kind != COMMITTED or notice.step is None:
            continue
        found[notice.epoch, notice.step] = LossFacts(
            epoch=notice.epoch,
            step=notice.step,
            loss=_value(notice.values, "loss"),
            validation_loss=_value(notice.values, "validation_loss"),
            step_s=_value(notice.values, "step_s"),
            at=instant(notice.at),
        )
    return tuple(found.values())


def events(notices: Iterable[NoticeReport]) -> tuple[EventFacts, ...]:
    """Return what happened besides committed steps."""
    return tuple(
        EventFacts(
            offset=notice.offset,
            at=instant(notice.at),
            kind=notice.kind,
            epoch=notice.epoch,
            step=notice.step,
            rank=notice.rank,
            member=notice.member,
            text=notice.text,
            values={name: _value(notice.values, name) for name in notice.values},
        )
        for notice in notices
        if notice.kind != COMMITTED
    )


def instant(text: str) -> datetime:
    """Return a moment as the wire has it.

    Raises:
        ValueError: it is not ISO 8601 with an offset.
    """
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"instant {text!r} has no offset from UTC")
    return at


def _handovers(former: JobFacts, facts: JobFacts) -> list[Handover]:
    """Return which ranks have another owner than before."""
    if facts.ranks is former.ranks:
        return []
    return [
        Handover(rank=rank, member=each.owner, epoch=each.owner_since_epoch)
        for rank, each in sorted(facts.ranks.items())
        if each.owner is not None
        and each.owner_since_epoch is not None
        and each.owner != former.rank(rank).owner
    ]


# --------------------------------------------------------------------------------- single kinds


def _committed(facts: JobFacts, notice: NoticeReport) -> JobFacts:
    """Fold in a step; one that was committed already says nothing new."""
    if notice.step is None or notice.step < (facts.committed or 0) - 1:
        return facts
    values, at = notice.values, instant(notice.at)
    step_s, samples = _value(values, "step_s"), _value(values, "samples")
    again = facts.last_commit_at is not None and notice.step < (facts.committed or 0)
    validation = _value(values, "validation_loss")
    typical_s, counted_s = _undisturbed(facts.typical_step_s, step_s)
    return replace(
        facts,
        committed=notice.step + 1,
        loss=_value(values, "loss"),
        validation_loss=facts.validation_loss if validation is None else validation,
        step_s=step_s,
        samples_per_s=samples / step_s if samples and step_s else None,
        typical_step_s=typical_s,
        productive_s=facts.productive_s + (0.0 if again else counted_s),
        first_commit_at=facts.first_commit_at or at,
        last_commit_at=at,
    )


def _undisturbed(typical_s: float | None, step_s: float | None) -> tuple[float | None, float]:
    """Return what is usual after a step, and how much of the step counts."""
    if step_s is None:
        return typical_s, typical_s or 0.0
    if typical_s is None:
        return step_s, step_s
    counted_s = min(step_s, STALL_FACTOR * typical_s)
    return typical_s + SMOOTHING * (counted_s - typical_s), counted_s


def _restored(facts: JobFacts, notice: NoticeReport) -> JobFacts:
    """Go back to a checkpoint: what came after it counts no more."""
    lost = _value(notice.values, "steps_lost")
    lost_s = (lost or 0.0) * (facts.typical_step_s or 0.0)
    return replace(
        facts,
        committed=notice.step,
        loss=None,
        validation_loss=None,
        step_s=None,
        samples_per_s=None,
        productive_s=max(facts.productive_s - lost_s, 0.0),
    )


def _elected(facts: JobFacts, notice: NoticeReport) -> JobFacts:
    return replace(facts, leader=notice.member or notice.leader)


def _mirrored(facts: JobFacts, notice: NoticeReport) -> JobFacts:
    return _with_protection(facts, notice.rank, "protected")


def _unmirrored(facts: JobFacts, notice: NoticeReport) -> JobFacts:
    return _with_protection(facts, notice.rank, "unprotected")


_FOLDS: Final = {
    COMMITTED: _committed,
    "restored": _restored,
    "elected": _elected,
    "mirror_complete": _mirrored,
    "protection_lost": _unmirrored,
}


def _owned(facts: JobFacts, notice: NoticeReport) -> JobFacts:
    """Give a rank to its new owner, whose mirrors are not known yet."""
    if notice.rank is None or notice.member is None:
        return facts
    if facts.rank(notice.rank).owner == notice.member:
        return facts
    rank = RankFacts(owner=notice.member, owner_since_epoch=notice.epoch)
    return replace(
        facts,
        ranks={**facts.ranks, notice.rank: rank},
        standbys=tuple(name for name in facts.standbys if name != notice.member),
    )


def _with_protection(facts: JobFacts, rank: int | None, protection: str) -> JobFacts:
    """Change the protection of one rank; its lag is unknown until the next snapshot."""
    if rank is None:
        return facts
    changed = replace(facts.rank(rank), protection=protection, lag_steps=None)
    return replace(facts, ranks={**facts.ranks, rank: changed})


def _rank(former: RankFacts, status: RankStatus, *, epoch: int | None) -> RankFacts:
    same = status.member is None or status.member == former.owner
    return RankFacts(
        owner=status.member or former.owner,
        owner_since_epoch=former.owner_since_epoch if same else epoch,
        protection=status.protection,
        mirrors=status.mirrors,
        lag_steps=status.lag_steps,
    )


def _later(former: int | None, told: int) -> int | None:
    """Return the newer epoch; 0 on the wire is before the first."""
    return max(former or 0, told) or None


def _value(values: Mapping[str, float | None], name: str) -> float | None:
    """Return a measured value; what is no number is unknown."""
    value = values.get(name)
    return value if value is not None and math.isfinite(value) else None

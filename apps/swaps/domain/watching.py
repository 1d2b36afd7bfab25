"""When a swap that is in force is complete: steps watched, loss in its band, certificate here."""

from datetime import datetime

from apps.swaps.domain import limits
from apps.swaps.domain.band import Finding, Judgement, band_judge
from apps.swaps.domain.decisions import Decision, Do, Wait
from apps.swaps.domain.facts import Facts, SwapView
from apps.swaps.domain.states import Action

_ENDED = frozenset({"finished", "stopped"})


def decide(swap: SwapView, facts: Facts, now: datetime) -> Decision:
    """Return the next step of a swap that is being watched."""
    judgement = _judgement(swap, facts)
    wrong = _wrong(facts, judgement)
    if wrong is not None:
        return wrong
    missing = _missing(swap, facts, judgement.finding)
    if missing is None:
        return Do(action=Action.COMPLETE)
    if facts.job_state in _ENDED and facts.certified:
        # there are no more steps to watch: what was seen has to do
        return Do(action=Action.COMPLETE, code="job_ended", text=f"the job ended: {missing}")
    if swap.deadline_at is not None and now >= swap.deadline_at:
        return Do(action=Action.FAIL, code="not_confirmed", text=f"{missing} within the deadline")
    return Wait(until=now + limits.LOOK_EVERY, why=missing)


def _wrong(facts: Facts, judgement: Judgement) -> Decision | None:
    """Return what ends the watch badly, whatever else is known."""
    if judgement.finding is Finding.LEFT:
        return Do(action=Action.DEVIATE, code="band_left", text=_left(judgement))
    if facts.ending is not None and facts.ending.kind == "aborted":
        return Do(action=Action.FAIL, code="target_lost", text=facts.ending.text)
    if facts.certified and facts.states_equal is False:
        return Do(action=Action.FAIL, code="digests_differ", text="the certificate says: unequal")
    if facts.job_state == "failed":
        return Do(action=Action.FAIL, code="job_ended", text="the job has failed")
    return None


def _judgement(swap: SwapView, facts: Facts) -> Judgement:
    if swap.band is None:
        return Judgement(finding=Finding.UNKNOWN)
    # Nothing is watched before the watch has begun.
    last_step = (swap.watch_from_step or 0) + swap.watch_steps
    return band_judge(band=swap.band, points=facts.losses, last_step=last_step)


def _missing(swap: SwapView, facts: Facts, finding: Finding) -> str | None:
    """Say what is still missing; None: nothing."""
    watched = steps_watched(swap, facts)
    if watched < swap.watch_steps:
        return f"{watched} of {swap.watch_steps} steps watched"
    if swap.band is not None and finding is Finding.UNKNOWN:
        return f"no {swap.band.series} yet since the rank changed hands"
    if finding is Finding.DOUBTFUL:
        return "the last loss lies outside the band: the next one decides"
    return None if facts.certified else "the certificate has not come yet"


def steps_watched(swap: SwapView, facts: Facts) -> int:
    """Return how many steps were committed since the rank changed hands."""
    if swap.watch_from_step is None or facts.committed_step is None:
        return 0
    return max(0, facts.committed_step - swap.watch_from_step)


def _left(judgement: Judgement) -> str:
    """Name the loss that decided, and what it had to keep."""
    point, band = judgement.point, judgement.band
    assert point is not None, "it is a loss that has left the band"
    assert band is not None, "only a band that there is can be left"
    return (
        f"{band.series} {point.loss:.4g} at step {point.step}, "
        f"band {band.centre:.4g} +- {band.half_width:.4g}"
    )

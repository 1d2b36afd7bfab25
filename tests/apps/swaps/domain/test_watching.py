"""A swap is complete when it was watched, stayed in its band, and is certified."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from apps.swaps.domain.band import Band, Line, Point
from apps.swaps.domain.decide import decide
from apps.swaps.domain.decisions import Decision, Do, Wait
from apps.swaps.domain.facts import Ending
from apps.swaps.domain.states import Action, State
from tests.apps.swaps.domain.making import NOW, facts, swap_in

BAND = Band(series="validation_loss", centre=2.0, half_width=0.5, rule="", points=20)


def watched(now_s: float = 0, *, band: Band | None = BAND, **known: Any) -> Decision:
    swap = swap_in(State.WATCHING, watch_from_step=5, band=band)
    return decide(swap=swap, facts=facts(**known), now=NOW + timedelta(seconds=now_s))


def losses(*values: float) -> tuple[Point, ...]:
    return tuple(Point(step=5 + place, loss=value) for place, value in enumerate(values))


def test_all_three_are_needed() -> None:
    done: dict[str, Any] = {"committed_step": 15, "losses": losses(2.0), "certified": True}
    assert watched(**done) == Do(action=Action.COMPLETE)
    for missing, why in (
        ({"committed_step": 14}, "9 of 10 steps watched"),
        ({"losses": ()}, "no validation_loss yet since the rank changed hands"),
        ({"losses": losses(9.0)}, "the last loss lies outside the band: the next one decides"),
        ({"certified": False}, "the certificate has not come yet"),
    ):
        decision = watched(**{**done, **missing})
        assert isinstance(decision, Wait)
        assert decision.why == why


def test_without_a_band_the_steps_and_the_certificate_do() -> None:
    assert watched(band=None, committed_step=15, certified=True) == Do(action=Action.COMPLETE)


def test_leaving_the_band_is_a_deviation_at_once() -> None:
    decision = watched(committed_step=7, losses=losses(2.0, 2.7, 2.8, 2.9))
    assert decision == Do(
        action=Action.DEVIATE,
        code="band_left",
        text="validation_loss 2.8 at step 7, band 2 +- 0.5",
    )


def test_a_deviation_long_after_names_the_band_as_it_is_there() -> None:
    line = Line(level=2.0, slope=-0.001, scatter=0.0, from_step=0)
    band = replace(BAND, line=line)
    late = (Point(step=505, loss=0.9), Point(step=506, loss=0.9))
    decision = watched(band=band, committed_step=600, losses=late)
    assert isinstance(decision, Do)
    assert decision.text == "validation_loss 0.9 at step 506, band 1.494 +- 0.506"


@pytest.mark.parametrize(
    ("known", "code"),
    [
        ({"certified": True, "states_equal": False}, "digests_differ"),
        ({"ending": Ending(kind="aborted", text="n5 did not keep the rank")}, "target_lost"),
        ({"job_state": "failed"}, "job_ended"),
    ],
    ids=["unequal", "target lost", "job failed"],
)
def test_what_ends_a_watch_badly(known: dict[str, Any], code: str) -> None:
    decision = watched(committed_step=15, losses=losses(2.0), **known)
    assert isinstance(decision, Do)
    assert (decision.action, decision.code) == (Action.FAIL, code)


def test_a_job_that_ends_meanwhile_completes_it_once_certified() -> None:
    known: dict[str, Any] = {"committed_step": 8, "losses": losses(2.0), "job_state": "finished"}
    assert isinstance(watched(**known), Wait)
    decision = watched(**known, certified=True)
    assert decision == Do(
        action=Action.COMPLETE, code="job_ended", text="the job ended: 3 of 10 steps watched"
    )


def test_a_watch_that_takes_too_long_is_not_confirmed() -> None:
    decision = watched(3600, committed_step=8, losses=losses(2.0), certified=True)
    assert isinstance(decision, Do)
    assert (decision.action, decision.code) == (Action.FAIL, "not_confirmed")

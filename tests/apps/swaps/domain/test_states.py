"""The table is what everything else is made of."""

from typing import Any

from apps.swaps.domain import renderings
from apps.swaps.domain.allowed import allowed_in
from apps.swaps.domain.states import ACTING, OPEN, SENT, TABLE, UNSENT, WAITS, State
from apps.swaps.models import Swap


def test_every_open_state_has_a_deadline() -> None:
    assert set(WAITS) == set(OPEN)


def test_the_database_knows_the_states_of_the_table() -> None:
    constraint: Any = next(
        each for each in Swap._meta.constraints if each.name == "swap_state_known"
    )
    assert constraint.condition.children == [("state__in", TABLE.states)]
    open_once: Any = next(each for each in Swap._meta.constraints if each.name == "swap_open_once")
    assert open_once.condition.children == [("state__in", tuple(state.value for state in OPEN))]


def test_an_abort_is_possible_until_the_rank_has_changed_hands() -> None:
    assert set(TABLE.sources("abort")) == SENT
    assert set(TABLE.sources("withdraw")) == UNSENT
    assert State.WATCHING not in SENT | UNSENT
    assert (SENT | {State.WATCHING}).issubset(ACTING)


def test_what_is_offered_is_in_the_table() -> None:
    for state in State:
        for button in allowed_in(state=state, is_operator=True):
            possible = state.value in TABLE.sources(button.action)
            assert button.enabled is possible
            assert (button.reason is None) is button.enabled
    assert not any(each.enabled for each in allowed_in(state=State.PLANNED, is_operator=False))


def test_the_diagram_has_every_arrow() -> None:
    arrows = [line for line in renderings.mermaid().splitlines() if ": " in line]
    assert len(arrows) == sum(len(line.sources) for line in TABLE.transitions)
    assert "    awaiting_approval --> approved: approve" in arrows


def test_the_front_end_learns_every_state() -> None:
    text = renderings.typescript()
    assert all(f'"{state.value}"' in text for state in State)

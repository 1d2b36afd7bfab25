"""A table of transitions makes sense, or is not made; nothing outside it can be done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.errors import TransitionRefused
from apps.core.transitions import Table, Transition

OPEN = Transition(action="open", sources=("shut",), target="ajar")
SHUT = Transition(action="shut", sources=("ajar", "wide"), target="shut")
PUSH = Transition(action="push", sources=("ajar",), target="wide")
REMOVE = Transition(action="remove", sources=("shut", "ajar"), target="gone")
DOOR = Table(
    states=("shut", "ajar", "wide", "gone"),
    transitions=(OPEN, SHUT, PUSH, REMOVE),
    initial=("shut",),
    terminal=frozenset({"gone"}),
)


def test_an_action_leads_to_its_target() -> None:
    assert DOOR.target("open", "shut") == "ajar"
    assert DOOR.find("push", "ajar") is PUSH


def test_an_action_in_another_state_is_refused_with_what_can_be_done() -> None:
    with pytest.raises(TransitionRefused) as caught:
        DOOR.target("push", "shut")
    refused = caught.value
    assert (refused.state, refused.action, refused.allowed) == ("shut", "push", ("open", "remove"))
    assert refused.extra == {"state": "shut", "action": "push", "allowed": ["open", "remove"]}


def test_nothing_is_allowed_at_the_end() -> None:
    assert DOOR.allowed("gone") == ()
    with pytest.raises(TransitionRefused, match="possible: nothing"):
        DOOR.target("open", "gone")


def test_the_sources_of_an_action_name_the_guard_of_its_update() -> None:
    assert DOOR.sources("shut") == ("ajar", "wide")
    assert DOOR.sources("fly") == ()
    assert DOOR.open_states == ("shut", "ajar", "wide")
    assert DOOR.actions == ("open", "shut", "push", "remove")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"states": ("shut", "ajar", "gone")}, "unknown state wide"),
        ({"initial": ("open",)}, "unknown state open"),
        ({"transitions": (OPEN, SHUT, PUSH, REMOVE, OPEN)}, "open stands twice for shut"),
        ({"transitions": (OPEN, SHUT, REMOVE)}, "nothing leads to wide"),
        ({"transitions": (OPEN, PUSH, REMOVE)}, "wide never ends"),
        ({"terminal": frozenset({"gone", "shut"})}, "shut is terminal, but something leaves it"),
    ],
)
def test_a_table_that_makes_no_sense_is_not_made(changes: dict[str, object], problem: str) -> None:
    values = {
        name: getattr(DOOR, name) for name in ("states", "transitions", "initial", "terminal")
    }
    with pytest.raises(ValueError, match=problem):
        Table(**values | changes)


@given(st.lists(st.sampled_from(DOOR.actions), max_size=30))
def test_whatever_is_done_the_state_is_one_of_the_table(actions: list[str]) -> None:
    state = "shut"
    for action in actions:
        possible = {line.action for line in DOOR.allowed(state)}
        try:
            state = DOOR.target(action, state)
        except TransitionRefused:
            assert action not in possible
        else:
            assert action in possible
        assert state in DOOR.states
